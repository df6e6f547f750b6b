// Statements between the two entities of each pair at a moment, in both directions.
// $$TYPES$$ are relationship names.
// $pairs [[urn, urn]], $types, $asOf
UNWIND range(0, size($pairs) - 1) AS pair
MATCH (a:Entity {urn: $pairs[pair][0]})
USING INDEX SEEK a:Entity(urn)
MATCH (b:Entity {urn: $pairs[pair][1]})
USING INDEX SEEK b:Entity(urn)
WITH pair, a, b
MATCH (a)-[r:$$TYPES$$|ENDED]-(b)
WHERE coalesce(r.resumed, r.since) <= $asOf AND (r.until IS NULL OR r.until > $asOf) AND coalesce(r.type, type(r)) IN $types
RETURN pair, coalesce(r.type, type(r)) AS type, startNode(r) = a AS leaves, properties(r) AS statement
