// Moves lastObserved of latest versions.
// $rows: [{urn, name, lastObserved}]
UNWIND $rows AS row
MATCH (a:Aspect {urn: row.urn, name: row.name, version: 0})
SET a.lastObserved = row.lastObserved
