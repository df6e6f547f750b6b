// Nodes by URN, placeholders included, in the order asked.
// The plan is kept: the hints leave the database no choice, and without replan=skip the database
// would plan again and again while it is filled.
// $urns
CYPHER replan=skip
UNWIND range(0, size($urns) - 1) AS i
MATCH (e:Entity {urn: $urns[i]}) USING INDEX SEEK e:Entity(urn)
WHERE e.entityType IS NOT NULL
RETURN properties(e) AS entity ORDER BY i
