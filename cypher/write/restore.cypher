// Makes an archived version the latest again.
// $rows: [{urn, name, seq}]
UNWIND $rows AS row
MATCH (a:Aspect {urn: row.urn, name: row.name, version: row.seq})
USING INDEX SEEK a:Aspect(urn, name, version)
SET a.version = 0
