// As walk_in, with up to a thousand entities in a row, of which the same is true: the driver spends
// more on a row than on an entity. Nothing comes before the walk is complete.
// $urn, $limit
MATCH p = (e:Entity {urn: $urn})<-[:$$TYPES$$*1..$$HOPS$$]-(o:Entity)
USING INDEX SEEK e:Entity(urn)
WHERE all(n IN nodes(p) WHERE n:$$LABELS$$)
  AND none(r IN relationships(p) WHERE $$EXCEPT$$)
WITH o, min(length(p)) AS degree, e
WHERE o <> e
WITH o, degree LIMIT $limit
WITH degree, o.exists AS exists, o.removed AS removed, collect(o.urn) AS found
UNWIND range(0, size(found) - 1, 1000) AS at
RETURN degree, exists, removed, found[at..at + 1000] AS found
