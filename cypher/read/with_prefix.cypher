// Entities, placeholders too, whose URN begins with a text.
// $prefix, $limit
MATCH (e:Entity)
USING INDEX e:Entity(urn)
WHERE e.urn STARTS WITH $prefix
RETURN e.urn AS urn ORDER BY urn LIMIT $limit
