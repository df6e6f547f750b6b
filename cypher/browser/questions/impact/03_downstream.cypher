// What depends on a table?
// Lists everything downstream of a table, jobs, charts and dashboards included, each once with its smallest number of hops.
// What comes first notices a change first.
WITH 'urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.staging.stg_refunds,PROD)' AS table
MATCH p = (t:Entity {urn: table})<-[:DownstreamOf|Consumes|Contains|DerivedFrom|FED_BY*1..]-(e:Entity)
WITH e, min(length(p)) AS hops
WHERE e.exists AND NOT e.removed
RETURN hops, e.entityType AS type, e.name AS name, e.urn AS urn
ORDER BY hops, type, name, urn
