// Entities, placeholders too, whose URN begins with a text. A node without
// entityType stands in the graph for readers only and is left out.
// $prefix, $limit
MATCH (e:Entity)
USING INDEX SEEK e:Entity(urn)
WHERE e.urn STARTS WITH $prefix AND e.entityType IS NOT NULL
RETURN e.urn AS urn ORDER BY urn LIMIT $limit
