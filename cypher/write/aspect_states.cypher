// The latest version and the highest number of aspects.
// $keys: [{i, urn, name}]
UNWIND $keys AS key
OPTIONAL MATCH (a:Aspect {urn: key.urn, name: key.name, version: 0})
USING INDEX SEEK a:Aspect(urn, name, version)
RETURN key.i AS i, properties(a) AS latest
