// Replaces what an aspect says about its current edges. $$TYPES$$ is one
// relationship name of the model.
// $rows: [{owner, aspect, path, source, destination, properties}]
UNWIND $rows AS row
MATCH (s:Entity {urn: row.source})-[r:$$TYPES$$]->(d:Entity {urn: row.destination})
USING INDEX s:Entity(urn)
WHERE r.owner = row.owner AND r.aspect = row.aspect AND r.path = row.path
SET r += row.properties
