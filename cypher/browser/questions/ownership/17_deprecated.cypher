// What is deprecated but still used?
// Lists deprecated entities together with everything that still depends on them, and whom to ask.
// When a row disappears, somebody has moved on.
MATCH (t:Entity)
WHERE t.deprecated AND NOT t.removed
MATCH (t)<-[:DownstreamOf|Consumes|Contains|DashboardContainsDashboard|DerivedFrom|TrainedBy|FED_BY*1..]-(e:Entity)
WITH DISTINCT t, e
WHERE e.exists AND NOT e.removed
OPTIONAL MATCH (e)-[:OwnedBy]->(o:Entity)
WITH t, e, o ORDER BY o.name
RETURN t.name AS deprecated, e.entityType AS type, e.name AS `used by`, collect(DISTINCT o.name) AS owners
ORDER BY deprecated, type, `used by`
