// Removes columns that their schema has lost, if nothing was ever stated about them, and
// nobody wrote about them or labelled them.
// $rows: [urn]
UNWIND $rows AS urn
MATCH (c:Entity {urn: urn}) USING INDEX SEEK c:Entity(urn)
WHERE c.entityType IS NULL AND c.inSchema IS NULL AND c.editedDescription IS NULL
  AND COUNT { (c)--() } = COUNT { (c)-[:COLUMN_OF]->() }
DETACH DELETE c
