// Ends statements. They become ENDED relationships, which no question about the present reads. A
// statement whose stamp says that it begins after its end begins at its end. $$TYPES$$ are
// relationship names of the model. Both ends are found before the relationship, so that the plan
// does not expand a hub at either end, whatever counts the database has when it plans. $rows:
// [{owner, aspect, path, source, type, destination, until, untilRun, untilActor}]
UNWIND $rows AS row
MATCH (s:Entity {urn: row.source}) USING INDEX SEEK s:Entity(urn)
MATCH (d:Entity {urn: row.destination}) USING INDEX SEEK d:Entity(urn)
WITH row, s, d
MATCH (s)-[r:$$TYPES$$]->(d)
WHERE type(r) = row.type AND r.owner = row.owner AND r.aspect = row.aspect AND r.path = row.path
CREATE (s)-[n:ENDED]->(d)
SET n = properties(r), n.type = type(r), n.until = row.until, n.since = CASE WHEN r.since > row.until THEN row.until ELSE r.since END, n.untilRun = row.untilRun, n.untilActor = row.untilActor
DELETE r
