// Removes nodes that a transaction made in order to lock them, and then did
// not write.
// $rows: [urn]
UNWIND $rows AS urn
MATCH (e:Entity {urn: urn}) USING INDEX e:Entity(urn)
WHERE e.entityType IS NULL AND NOT (e)--()
DELETE e
