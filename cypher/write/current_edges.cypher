// Which of some statements are current. $$TYPES$$ is one relationship name of the
// model.
// $rows: [{n, owner, aspect, path, source, destination}]
UNWIND $rows AS row
MATCH (s:Entity {urn: row.source})-[r:$$TYPES$$]->(d:Entity {urn: row.destination})
USING INDEX s:Entity(urn)
WHERE r.owner = row.owner AND r.aspect = row.aspect AND r.path = row.path
RETURN DISTINCT row.n AS n
