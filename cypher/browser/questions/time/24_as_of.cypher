// What was a table made from at a moment?
// Lists the upstream tables of a table at a moment in the past, by the clock of Headwater.
// The last column says whether it is still so.
WITH 'urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.margin_by_product,PROD)' AS table, datetime('2026-11-05T00:00:00Z') AS moment
MATCH (t:Entity {urn: table})-[r:DownstreamOf|ENDED]->(source:Dataset)
WHERE coalesce(r.type, type(r)) = 'DownstreamOf'
  AND coalesce(r.resumed, r.since) <= moment.epochMillis AND coalesce(r.until, moment.epochMillis + 1) > moment.epochMillis
RETURN DISTINCT source.name AS table, source.urn AS urn, EXISTS { (t)-[:DownstreamOf]->(source) } AS still
ORDER BY table, urn
