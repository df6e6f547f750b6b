// Which dashboards stand on data with failed checks?
// Takes the checks that have failed since a moment and lists the dashboards downstream of the tables they check.
// The moment is in UTC; put datetime() - duration('P7D') for the last week.
WITH datetime('2026-11-01T00:00:00Z') AS since
MATCH (check:Assertion)-[:Asserts]->(t:Dataset), (check)-[:HAS_TIME_SERIES]->(run:TimeSeries {aspect: 'assertionRunEvent'})
WHERE run.timestamp >= since.epochMillis AND run.value CONTAINS '"type":"FAILURE"'
WITH t, count(DISTINCT run) AS failures, max(run.timestamp) AS last
MATCH (d:Dashboard)-[:DownstreamOf|Consumes|Contains|DerivedFrom|FED_BY*1..]->(t)
WITH DISTINCT t, failures, last, d
ORDER BY d.name
RETURN t.name AS table, failures, toString(datetime({epochMillis: last})) AS `last failure`, collect(d.name) AS dashboards
ORDER BY `last failure` DESC, table
