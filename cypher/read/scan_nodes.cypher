// Entities of any type, placeholders too, by URN, behind a text. A node without
// entityType is one that only people see.
// $after, $limit
MATCH (e:Entity)
USING INDEX SEEK e:Entity(urn)
WHERE e.urn > $after AND e.entityType IS NOT NULL
RETURN e.urn AS urn ORDER BY e.urn LIMIT $limit
