// Moves lastObserved of latest versions.
// $rows: [{urn, name, lastObserved}]
UNWIND $rows AS row
MATCH (a:Aspect {urn: row.urn, name: row.name, version: 0})
USING INDEX SEEK a:Aspect(urn, name, version)
SET a.lastObserved = row.lastObserved
