// What is a dashboard made from?
// Lists every table and job upstream of a dashboard with its owners.
// The greatest number of hops is the source.
WITH 'urn:li:dashboard:(looker,board)' AS dashboard
MATCH p = (:Entity {urn: dashboard})-[:DownstreamOf|Consumes|Contains|DashboardContainsDashboard|DerivedFrom|TrainedBy|FED_BY*1..]->(e:Entity)
WITH e, min(length(p)) AS hops
WHERE (e:Dataset OR e:DataJob) AND e.exists AND NOT e.removed
OPTIONAL MATCH (e)-[:OwnedBy]->(o:Entity)
WITH hops, e, o ORDER BY o.name
RETURN hops, e.entityType AS type, e.name AS name, split(e.platform, ':')[3] AS platform, collect(DISTINCT o.name) AS owners, e.urn AS urn
ORDER BY hops, type, name, urn
