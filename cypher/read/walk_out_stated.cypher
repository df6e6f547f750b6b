// As walk_out, with whether no relationship by which an entity may have been reached is
// stated by an entity of some types.
// $urn, $limit, $statedBy [type]
MATCH p = (e:Entity {urn: $urn})-[:$$TYPES$$*1..$$HOPS$$]->(o:Entity)
USING INDEX SEEK e:Entity(urn)
WHERE all(n IN nodes(p) WHERE n:$$LABELS$$)
WITH o, min(length(p)) AS degree, e
WHERE o <> e
RETURN o.urn AS urn, degree, o.exists AS exists, o.removed AS removed,
  NOT EXISTS { MATCH (o)<-[r:$$TYPES$$]-() WHERE split(r.owner, ':')[2] IN $statedBy } AS unstated LIMIT $limit
