// How many entities of a type exist.
// $type
MATCH (e:Entity {entityType: $type})
WHERE e.exists AND e.urn IS NOT NULL
RETURN count(e) AS total
