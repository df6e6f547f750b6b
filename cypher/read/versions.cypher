// The versions of an aspect, newest first.
// $urn, $name, $start, $count
MATCH (a:Aspect {urn: $urn, name: $name})
WHERE a.version >= 0
RETURN properties(a) AS aspect ORDER BY a.seq DESC SKIP $start LIMIT $count
