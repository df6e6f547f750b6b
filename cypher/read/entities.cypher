// Nodes by URN, placeholders included, in the order asked.
// $urns
UNWIND range(0, size($urns) - 1) AS i
MATCH (e:Entity {urn: $urns[i]}) USING INDEX e:Entity(urn)
WHERE e.entityType IS NOT NULL
RETURN properties(e) AS entity ORDER BY i
