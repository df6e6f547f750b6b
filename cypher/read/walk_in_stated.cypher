// As walk_in_packed, with whether no relationship by which an entity may have been reached is
// stated by an entity of some types.
// $urn, $limit, $statedBy [type]
MATCH p = (e:Entity {urn: $urn})<-[:$$TYPES$$*1..$$HOPS$$]-(o:Entity)
USING INDEX SEEK e:Entity(urn)
WHERE all(n IN nodes(p) WHERE n:$$LABELS$$)
  AND none(r IN relationships(p) WHERE $$EXCEPT$$)
WITH o, min(length(p)) AS degree, e
WHERE o <> e
WITH o, degree LIMIT $limit
WITH degree, o.exists AS exists, o.removed AS removed,
  NOT EXISTS { MATCH (o)-[r:$$TYPES$$]->() WHERE split(r.owner, ':')[2] IN $statedBy } AS unstated,
  collect(o.urn) AS found
UNWIND range(0, size(found) - 1, 1000) AS at
RETURN degree, exists, removed, unstated, found[at..at + 1000] AS found
