// Replaces the properties that an aspect gives its current edges. $$TYPES$$ are relationship names
// of the model. Both ends are found before the relationship, so that the plan does not expand a hub
// at either end, whatever counts the database has when it plans. $rows: [{owner, aspect, path,
// source, type, destination, properties}]
UNWIND $rows AS row
MATCH (s:Entity {urn: row.source}) USING INDEX SEEK s:Entity(urn)
MATCH (d:Entity {urn: row.destination}) USING INDEX SEEK d:Entity(urn)
WITH row, s, d
MATCH (s)-[r:$$TYPES$$]->(d)
WHERE type(r) = row.type AND r.owner = row.owner AND r.aspect = row.aspect AND r.path = row.path
SET r += row.properties
