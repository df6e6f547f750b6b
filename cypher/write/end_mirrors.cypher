// Takes away the FED_BY of relationships that end.
// Both ends are found before the relationship, so that a hub at either of them does no
// harm, whatever the database knows of how many there are when it plans this.
// $rows: [{owner, aspect, path, source, type, destination}]
UNWIND $rows AS row
MATCH (s:Entity {urn: row.source}) USING INDEX SEEK s:Entity(urn)
MATCH (d:Entity {urn: row.destination}) USING INDEX SEEK d:Entity(urn)
WITH row, s, d
MATCH (s)<-[m:FED_BY]-(d)
WHERE m.owner = row.owner AND m.aspect = row.aspect AND m.path = row.path AND m.mirrors = row.type
DELETE m
