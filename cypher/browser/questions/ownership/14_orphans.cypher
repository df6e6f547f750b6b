// What has no owner, or no lineage?
// Lists tables, jobs, charts and dashboards that nobody owns or that are connected to nothing.
// Begin with those that lack both.
MATCH (e:Dataset|DataJob|Chart|Dashboard)
WHERE e.exists AND NOT e.removed
WITH e, EXISTS { (e)-[:OwnedBy]->(:Entity) } AS owned, EXISTS { (e)-[:DownstreamOf|Consumes|Contains|DerivedFrom|FED_BY]-(:Entity) } AS connected
WHERE NOT owned OR NOT connected
RETURN e.entityType AS type, e.name AS name, split(e.platform, ':')[3] AS platform, owned, connected
ORDER BY owned, connected, type, name, platform
