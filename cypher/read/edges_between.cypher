// Statements between the two entities of each pair, in both directions. $$TYPES$$ are
// relationship names.
// $pairs [[urn, urn]]
UNWIND range(0, size($pairs) - 1) AS pair
MATCH (a:Entity {urn: $pairs[pair][0]})
USING INDEX SEEK a:Entity(urn)
MATCH (b:Entity {urn: $pairs[pair][1]})
USING INDEX SEEK b:Entity(urn)
WITH pair, a, b
MATCH (a)-[r:$$TYPES$$]-(b)
RETURN pair, type(r) AS type, startNode(r) = a AS leaves, properties(r) AS statement
