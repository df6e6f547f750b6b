// Gives latest versions their number; nothing takes their place.
// $rows: [{urn, name}]
UNWIND $rows AS row
MATCH (a:Aspect {urn: row.urn, name: row.name, version: 0})
USING INDEX SEEK a:Aspect(urn, name, version)
SET a.version = a.seq
