// The entities that have an aspect, as count_aspects counts them.
// $name, $prefix, $suffix, $contains
MATCH (a:Aspect {name: $name, version: 0})
WHERE a.urn STARTS WITH $prefix AND a.urn ENDS WITH $suffix AND a.urn CONTAINS $contains
RETURN a.urn AS urn
