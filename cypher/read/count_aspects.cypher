// How many entities have an aspect, by the beginning, the end and the inside of
// their URN; an empty text is in every URN.
// $name, $prefix, $suffix, $contains
MATCH (a:Aspect {name: $name, version: 0})
WHERE a.urn STARTS WITH $prefix AND a.urn ENDS WITH $suffix AND a.urn CONTAINS $contains
RETURN count(a) AS total
