// Entities, placeholders too, whose URN begins with a text. A node without
// entityType is one that only people see.
// $prefix, $limit
MATCH (e:Entity)
USING INDEX SEEK e:Entity(urn)
WHERE e.urn STARTS WITH $prefix AND e.entityType IS NOT NULL
RETURN e.urn AS urn ORDER BY urn LIMIT $limit
