// Takes away the FED_BY of relationships that end.
// $rows: [{owner, aspect, path, source, type, destination}]
UNWIND $rows AS row
MATCH (s:Entity {urn: row.source})<-[m:FED_BY]-(d:Entity {urn: row.destination})
USING INDEX s:Entity(urn)
WHERE m.owner = row.owner AND m.aspect = row.aspect AND m.path = row.path AND m.mirrors = row.type
DELETE m
