// Replaces what an aspect says about its current edges. $$TYPES$$ are
// relationship names of the model.
// $rows: [{owner, aspect, path, source, type, destination, properties}]
UNWIND $rows AS row
MATCH (s:Entity {urn: row.source})-[r:$$TYPES$$]->(d:Entity {urn: row.destination})
USING INDEX s:Entity(urn)
WHERE type(r) = row.type AND r.owner = row.owner AND r.aspect = row.aspect AND r.path = row.path
SET r += row.properties
