// As walk_in, each entity with its predecessor: the first entity, by URN, that is one hop nearer
// and leads to it, and whether there are others. The variable part of the path is one hop shorter
// than the walk, and a plain step follows: if the statement asked for the last step of a variable
// path, the database would make every path. A row has a thousand entities. $$TYPES$$ are
// relationship names, $$LABELS$$ the labels that every entity on the way has one of, $$FEWER$$ the
// bound on the distance less one, or nothing. $urn, $limit
MATCH p = (e:Entity {urn: $urn})<-[:$$TYPES$$*0..$$FEWER$$]-(n:Entity)
USING INDEX SEEK e:Entity(urn)
WHERE all(x IN nodes(p) WHERE x:$$LABELS$$)
  AND none(r IN relationships(p) WHERE $$EXCEPT$$)
WITH n, min(length(p)) AS degree, e
ORDER BY degree LIMIT $limit
WITH n, degree, e, n.urn AS near
MATCH (n)<-[r:$$TYPES$$]-(o:Entity)
WHERE o <> e AND o:$$LABELS$$
  AND NOT ($$EXCEPT$$)
WITH o, min([degree, near]) AS first, max([-degree, near]) AS last
WITH o.urn AS urn, first[0] + 1 AS degree, o.exists AS exists, o.removed AS removed, first[1] AS before, first[1] <> last[1] AS others
ORDER BY degree, urn LIMIT $limit
WITH collect([urn, degree, exists, removed, before, others]) AS found
UNWIND range(0, size(found) - 1, 1000) AS at
RETURN found[at..at + 1000] AS found
