// Removes time-series values of an entity by time, and where given by aspect
// and run.
// $rows: [{urn, aspect, from, to, runId}]
UNWIND $rows AS row
MATCH (t:TimeSeries {urn: row.urn}) USING INDEX SEEK t:TimeSeries(urn, aspect, timestamp)
WHERE t.aspect IS NOT NULL AND t.timestamp IS NOT NULL
  AND (row.aspect IS NULL OR t.aspect = row.aspect)
  AND row.from <= t.timestamp <= row.to
  AND (row.runId IS NULL OR t.runId = row.runId)
DETACH DELETE t
