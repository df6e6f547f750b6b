// Which tables are used most?
// Adds up the queries of each table since a moment, from its usage statistics.
// The values of time series are JSON; the query takes one number out of each.
WITH datetime('2026-11-01T00:00:00Z') AS since
MATCH (t:Dataset)-[:HAS_TIME_SERIES]->(u:TimeSeries {aspect: 'datasetUsageStatistics'})
WHERE u.timestamp >= since.epochMillis
WITH t, u, toInteger(split(split(split(u.value, '"totalSqlQueries":')[1], ',')[0], '}')[0]) AS queries
RETURN t.name AS table, split(t.platform, ':')[3] AS platform, sum(queries) AS queries, count(u) AS days
ORDER BY queries DESC, table
LIMIT 20
