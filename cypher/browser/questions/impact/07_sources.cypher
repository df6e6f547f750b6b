// What is a dashboard made from?
// Lists every table and job upstream of a dashboard with its owners.
// The greatest number of hops is the source.
WITH 'urn:li:dashboard:(looker,board)' AS dashboard
MATCH p = (:Entity {urn: dashboard})-[:DownstreamOf|Consumes|Contains|DerivedFrom|FED_BY*1..]->(e:Entity)
WITH e, min(length(p)) AS hops
WHERE (e:Dataset OR e:DataJob) AND e.exists AND NOT e.removed
RETURN hops, e.entityType AS type, e.name AS name, split(e.platform, ':')[3] AS platform,
  COLLECT { MATCH (e)-[:OwnedBy]->(o:Entity) RETURN DISTINCT o.name AS owner ORDER BY owner } AS owners, e.urn AS urn
ORDER BY hops, type, name, urn
