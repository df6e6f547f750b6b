// One version by its number.
// $urn, $name, $version
MATCH (a:Aspect {urn: $urn, name: $name, version: $version})
RETURN properties(a) AS aspect
