// Which tables that feed dashboards are stale?
// Lists tables upstream of a dashboard that report when they are written, and were last written before a moment.
// Tables that never report it are not listed.
WITH datetime('2026-11-30T00:00:00Z') AS moment
MATCH (t:Dataset)-[:HAS_TIME_SERIES]->(o:TimeSeries {aspect: 'operation'})
WITH moment, t, max(o.timestamp) AS last
WHERE last < moment.epochMillis
MATCH (d:Dashboard)-[:DownstreamOf|Consumes|Contains|DerivedFrom|FED_BY*1..]->(t)
WITH DISTINCT t, last, d
ORDER BY d.name
RETURN t.name AS table, toString(datetime({epochMillis: last})) AS `last written`, collect(d.name) AS dashboards
ORDER BY `last written`, table
