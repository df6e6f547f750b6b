// Latest versions of the named aspects.
// The plan is kept: the hints leave the database no choice, and it would be made again
// and again as a database is filled.
// $urns, $names
CYPHER replan=skip
UNWIND $urns AS urn
UNWIND $names AS name
MATCH (a:Aspect {urn: urn, name: name, version: 0})
USING INDEX SEEK a:Aspect(urn, name, version)
RETURN properties(a) AS aspect
