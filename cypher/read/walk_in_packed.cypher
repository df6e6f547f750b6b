// As walk_in, with a thousand entities in a row: the driver spends more on a row than on an
// entity. Nothing comes before the walk is complete.
// $urn, $limit
MATCH p = (e:Entity {urn: $urn})<-[:$$TYPES$$*1..$$HOPS$$]-(o:Entity)
USING INDEX SEEK e:Entity(urn)
WHERE all(n IN nodes(p) WHERE n:$$LABELS$$)
WITH o, min(length(p)) AS degree, e
WHERE o <> e
WITH o, degree LIMIT $limit
WITH collect([o.urn, degree, o.exists, o.removed]) AS found
UNWIND range(0, size(found) - 1, 1000) AS at
RETURN found[at..at + 1000] AS found
