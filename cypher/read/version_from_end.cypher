// An archived version counted from the newest: -1 is the highest number, -2
// the number before it.
// $urn, $name, $version
MATCH (a:Aspect {urn: $urn, name: $name})
WHERE a.version > 0
WITH max(a.version) AS highest
WHERE highest + $version + 1 > 0
MATCH (b:Aspect {urn: $urn, name: $name, version: highest + $version + 1})
RETURN properties(b) AS aspect
