// Entities of a type that exist, by URN.
// $type, $start, $count
MATCH (e:Entity {entityType: $type})
USING INDEX SEEK e:Entity(entityType, urn)
WHERE e.exists AND e.urn IS NOT NULL
RETURN e.urn AS urn ORDER BY e.urn SKIP $start LIMIT $count
