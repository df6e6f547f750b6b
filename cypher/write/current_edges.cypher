// The given statements that are current. $$TYPES$$ is one relationship name of the model. Both ends
// are found before the relationship, so that the plan does not expand a hub at either end, whatever
// counts the database has when it plans. $rows: [{n, owner, aspect, path, source, destination}]
UNWIND $rows AS row
MATCH (s:Entity {urn: row.source}) USING INDEX SEEK s:Entity(urn)
MATCH (d:Entity {urn: row.destination}) USING INDEX SEEK d:Entity(urn)
WITH row, s, d
MATCH (s)-[r:$$TYPES$$]->(d)
WHERE r.owner = row.owner AND r.aspect = row.aspect AND r.path = row.path
RETURN DISTINCT row.n AS n
