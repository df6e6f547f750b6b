// Who owns what depends on a table?
// Lists the people and groups to notify before a table changes.
// The number is how many of their assets are downstream of it.
WITH 'urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.staging.stg_refunds,PROD)' AS table
MATCH (:Entity {urn: table})<-[:DownstreamOf|Consumes|Contains|DerivedFrom|FED_BY*1..]-(e:Entity)
WITH DISTINCT e
WHERE e.exists AND NOT e.removed
MATCH (e)-[:OwnedBy]->(o:Entity)
WITH DISTINCT o, e ORDER BY e.name
WITH o, collect(e.name) AS assets
RETURN o.name AS owner, o.email AS email, size(assets) AS number, assets
ORDER BY number DESC, owner
