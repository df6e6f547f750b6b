// Ingestion runs of which something is current, the newest first: how many
// latest versions and time-series values each wrote, and how many of the
// versions are of soft-deleted entities. What has no run is of none.
// $includeRemoved, $start, $count
CALL () {
  MATCH (a:Aspect {version: 0})
  USING INDEX a:Aspect(version, runId, urn)
  WHERE a.runId IS NOT NULL AND a.urn IS NOT NULL
  RETURN a.runId AS run, count(*) AS rows, 0 AS removed, 0 AS series, max(a.createdOn) AS latest
  UNION ALL
  MATCH (e:Entity)-[:HAS_ASPECT]->(a:Aspect {version: 0})
  WHERE e.removed
  RETURN a.runId AS run, 0 AS rows, count(*) AS removed, 0 AS series, 0 AS latest
  UNION ALL
  MATCH (t:TimeSeries)
  USING INDEX t:TimeSeries(runId, urn, aspect)
  WHERE t.runId IS NOT NULL AND t.urn IS NOT NULL AND t.aspect IS NOT NULL
  RETURN t.runId AS run, 0 AS rows, 0 AS removed, count(*) AS series, max(t.createdOn) AS latest
}
WITH * WHERE run <> ''
WITH run, sum(rows) AS rows, sum(removed) AS removed, sum(series) AS series, max(latest) AS latest
WHERE $includeRemoved OR rows > removed OR series > 0
WITH run, rows, removed, series, latest ORDER BY latest DESC, run
WITH collect({run: run, rows: rows, removed: removed, series: series, latest: latest}) AS runs
RETURN size(runs) AS total, runs[$start..$start + $count] AS page
