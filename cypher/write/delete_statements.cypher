// Removes the statements that an owner makes from a source other than itself,
// and says which ends they had.
// $rows: [{owner, source}]
UNWIND $rows AS row
MATCH (s:Entity {urn: row.source})-[r]->(d:Entity)
USING INDEX SEEK s:Entity(urn)
WHERE r.owner = row.owner
WITH s, d, r, s.urn AS source, d.urn AS destination
DELETE r
RETURN DISTINCT source, destination
