// As walk_out, with the first entity by URN of those one hop nearer that lead to each, and
// whether there are others. The walk goes one hop less far, once more along all
// relationships, so that only the last step of a path is looked at: what asks for more of
// a path makes every path. $$TYPES$$ are relationship names, $$LABELS$$ the labels that
// every entity on the way has one of, $$FEWER$$ the bound on the distance less one, or
// nothing.
// $urn, $limit
MATCH p = (e:Entity {urn: $urn})-[:$$TYPES$$*0..$$FEWER$$]->(n:Entity)
USING INDEX SEEK e:Entity(urn)
WHERE all(x IN nodes(p) WHERE x:$$LABELS$$)
WITH n, min(length(p)) AS degree, e
ORDER BY degree LIMIT $limit
WITH n, degree, e, n.urn AS near
MATCH (n)-[:$$TYPES$$]->(o:Entity)
WHERE o <> e AND o:$$LABELS$$
WITH o, min([degree, near]) AS first, max([-degree, near]) AS last
WITH o.urn AS urn, first[0] + 1 AS degree, o.exists AS exists, o.removed AS removed, first[1] AS before, first[1] <> last[1] AS others
ORDER BY degree, urn LIMIT $limit
RETURN urn, degree, exists, removed, before, others
