// Entities of any type, placeholders too, by URN, behind a text.
// $after, $limit
MATCH (e:Entity)
USING INDEX e:Entity(urn)
WHERE e.urn > $after
RETURN e.urn AS urn ORDER BY e.urn LIMIT $limit
