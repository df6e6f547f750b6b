// How many entities have an aspect. $like is a regular expression or null.
// $name, $like
MATCH (a:Aspect {name: $name, version: 0})
WHERE $like IS NULL OR a.urn =~ $like
RETURN count(a) AS total
