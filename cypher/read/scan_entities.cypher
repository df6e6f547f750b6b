// Entities that exist, of any type, by URN, behind one.
// $after, $limit
MATCH (e:Entity)
USING INDEX SEEK e:Entity(urn)
WHERE e.urn > $after AND e.exists
RETURN e.urn AS urn ORDER BY e.urn LIMIT $limit
