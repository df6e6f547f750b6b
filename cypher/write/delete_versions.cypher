// Removes versions by number, including the latest version if its number is in the range. $rows:
// [{urn, name, from, to}]
UNWIND $rows AS row
MATCH (a:Aspect {urn: row.urn, name: row.name})
USING INDEX SEEK a:Aspect(urn, name, version)
WHERE a.version >= 0 AND row.from <= a.seq <= row.to
DETACH DELETE a
