// The ended statements that were current at a moment. If a statement was made several times, the
// one that ended last. Both ends are found before the relationship, so that the plan does not
// expand a hub at either end, whatever counts the database has when it plans. $rows: [{n, owner,
// aspect, path, source, type, destination, at}]
UNWIND $rows AS row
MATCH (s:Entity {urn: row.source}) USING INDEX SEEK s:Entity(urn)
MATCH (d:Entity {urn: row.destination}) USING INDEX SEEK d:Entity(urn)
WITH row, s, d
MATCH (s)-[r:ENDED]->(d)
WHERE r.type = row.type AND r.owner = row.owner AND r.aspect = row.aspect AND r.path = row.path
  AND r.since <= row.at AND r.until >= row.at
WITH row, s, d, r ORDER BY r.until DESC, r.since DESC
WITH row, s, d, head(collect(r)) AS r
RETURN row.n AS n, s.urn AS source, s.entityType AS sourceType, r.type AS type,
  d.urn AS destination, d.entityType AS destinationType, properties(r) AS statement
