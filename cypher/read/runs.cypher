// Ingestion runs with current versions or values, the newest first: how many latest versions and
// time-series values each run wrote, how many of the versions are of entities that others
// soft-deleted, and the URN of one version. Versions and values without a run do not count.
// $includeRemoved, $mark, $except, $start, $count
CALL () {
  MATCH (a:Aspect {version: 0})
  USING INDEX SEEK a:Aspect(version, runId, urn)
  WHERE a.runId IS NOT NULL AND a.urn IS NOT NULL
  RETURN a.runId AS run, count(*) AS rows, 0 AS removed, 0 AS series, min(a.createdOn) AS first, max(a.createdOn) AS latest, min(a.urn) AS urn
  UNION ALL
  MATCH (e:Entity)-[:HAS_ASPECT]->(a:Aspect {version: 0})
  WHERE e.removed
  WITH e, collect(a.runId) AS ofRuns, max(CASE WHEN a.name = $mark THEN a.runId END) AS marked
  UNWIND ofRuns AS run
  WITH run, marked WHERE marked IS NULL OR run <> marked
  RETURN run, 0 AS rows, count(*) AS removed, 0 AS series, null AS first, 0 AS latest, null AS urn
  UNION ALL
  MATCH (t:TimeSeries)
  USING INDEX t:TimeSeries(runId, urn, aspect)
  WHERE t.runId IS NOT NULL AND t.urn IS NOT NULL AND t.aspect IS NOT NULL
  RETURN t.runId AS run, 0 AS rows, 0 AS removed, count(*) AS series, min(t.createdOn) AS first, max(t.createdOn) AS latest, null AS urn
}
WITH * WHERE run <> '' AND NOT run IN $except
WITH run, sum(rows) AS rows, sum(removed) AS removed, sum(series) AS series, min(first) AS first, max(latest) AS latest, min(urn) AS urn
WHERE $includeRemoved OR rows > removed OR series > 0
WITH run, rows, removed, series, first, latest, urn ORDER BY latest DESC, run
WITH collect({run: run, rows: rows, removed: removed, series: series, first: first, latest: latest, urn: urn}) AS runs
WITH size(runs) AS total, runs[$start..$start + $count] AS page
RETURN total, [r IN page | r {.*, aspect: COLLECT {
  MATCH (a:Aspect {version: 0, runId: r.run, urn: r.urn})
  USING INDEX SEEK a:Aspect(version, runId, urn)
  RETURN a.name ORDER BY a.name LIMIT 1
}[0]}] AS page
