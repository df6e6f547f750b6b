// Entities of any type, placeholders too, by URN, behind a text. A node without
// entityType stands in the graph for readers only and is left out.
// $after, $limit
MATCH (e:Entity)
USING INDEX SEEK e:Entity(urn)
WHERE e.urn > $after AND e.entityType IS NOT NULL
RETURN e.urn AS urn ORDER BY e.urn LIMIT $limit
