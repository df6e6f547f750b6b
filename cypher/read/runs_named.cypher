// The given runs with current versions or values, as in read/runs, with the numbers of their
// entities and time series. $ids, $except, $includeRemoved, $mark, $start, $count
UNWIND $ids AS run
WITH DISTINCT run WHERE run <> '' AND NOT run IN $except
CALL (run) {
  MATCH (a:Aspect {version: 0, runId: run})
  USING INDEX SEEK a:Aspect(version, runId, urn)
  WHERE a.urn IS NOT NULL
  RETURN count(*) AS rows, min(a.createdOn) AS firstRow, max(a.createdOn) AS lastRow, min(a.urn) AS urn
}
CALL (run) {
  MATCH (a:Aspect {version: 0, runId: run})<-[:HAS_ASPECT]-(e:Entity)
  USING INDEX SEEK a:Aspect(version, runId, urn)
  WHERE a.urn IS NOT NULL AND e.removed
    AND NOT EXISTS { MATCH (:Aspect {urn: a.urn, name: $mark, version: 0, runId: run}) }
  RETURN count(*) AS removed
}
CALL (run) {
  MATCH (t:TimeSeries {runId: run})
  USING INDEX SEEK t:TimeSeries(runId, urn, aspect)
  WHERE t.urn IS NOT NULL AND t.aspect IS NOT NULL
  RETURN count(*) AS series, min(t.createdOn) AS firstValue, max(t.createdOn) AS lastValue, count(DISTINCT [t.urn, t.aspect]) AS kinds
}
WITH * WHERE rows > removed OR series > 0 OR $includeRemoved AND rows > 0
CALL (run) {
  CALL (run) {
    MATCH (a:Aspect {version: 0, runId: run})
    USING INDEX SEEK a:Aspect(version, runId, urn)
    WHERE a.urn IS NOT NULL
    RETURN a.urn AS of
    UNION
    MATCH (t:TimeSeries {runId: run})
    USING INDEX SEEK t:TimeSeries(runId, urn, aspect)
    WHERE t.urn IS NOT NULL AND t.aspect IS NOT NULL
    RETURN t.urn AS of
  }
  RETURN count(of) AS entities
}
WITH run, rows, removed, series, kinds, entities, urn,
  CASE WHEN firstValue IS NULL OR firstRow < firstValue THEN firstRow ELSE firstValue END AS first,
  CASE WHEN lastValue IS NULL OR lastRow > lastValue THEN lastRow ELSE lastValue END AS latest
ORDER BY latest DESC, run
WITH collect({
  run: run, rows: rows, removed: removed, series: series, kinds: kinds, entities: entities, first: first, latest: latest, urn: urn,
  aspect: COLLECT {
    MATCH (a:Aspect {version: 0, runId: run, urn: urn})
    USING INDEX SEEK a:Aspect(version, runId, urn)
    RETURN a.name ORDER BY a.name LIMIT 1
  }[0]
}) AS runs
RETURN size(runs) AS total, runs[$start..$start + $count] AS page
