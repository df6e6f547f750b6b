// The highest number among the archived versions of aspects without a latest.
// $keys: [{i, urn, name}]
UNWIND $keys AS key
MATCH (a:Aspect {urn: key.urn, name: key.name})
USING INDEX SEEK a:Aspect(urn, name, version)
WHERE a.version >= 0
RETURN key.i AS i, max(a.seq) AS seq
