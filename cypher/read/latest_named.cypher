// Latest versions of the named aspects.
// $urns, $names
UNWIND $urns AS urn
UNWIND $names AS name
MATCH (a:Aspect {urn: urn, name: name, version: 0})
RETURN properties(a) AS aspect
