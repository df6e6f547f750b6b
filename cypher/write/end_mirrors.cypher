// Takes away the FED_BY of relationships that end. Both ends are found before the relationship, so
// that the plan does not expand a hub at either end, whatever counts the database has when it
// plans. $rows: [{owner, aspect, path, source, type, destination}]
UNWIND $rows AS row
MATCH (s:Entity {urn: row.source}) USING INDEX SEEK s:Entity(urn)
MATCH (d:Entity {urn: row.destination}) USING INDEX SEEK d:Entity(urn)
WITH row, s, d
MATCH (s)<-[m:FED_BY]-(d)
WHERE m.owner = row.owner AND m.aspect = row.aspect AND m.path = row.path AND m.mirrors = row.type
DELETE m
