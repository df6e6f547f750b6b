// Which dashboards are farthest from their sources?
// Measures, for each dashboard, how many hops the farthest source is away by the shortest way.
// Long ways take long to refresh and are hard to explain.
MATCH p = (d:Dashboard)-[:DownstreamOf|Consumes|Contains|DerivedFrom|FED_BY*1..]->(e:Entity)
WHERE NOT e:SchemaField
WITH d, e, min(length(p)) AS hops
ORDER BY hops DESC, e.name
WITH d, max(hops) AS hops, collect({hops: hops, name: e.name}) AS reached
RETURN d.name AS dashboard, hops, [r IN reached WHERE r.hops = hops | r.name] AS sources
ORDER BY hops DESC, dashboard
LIMIT 20
