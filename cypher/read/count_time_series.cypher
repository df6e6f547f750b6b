// How many values an entity has by time, and where given by aspect and run.
// $urn, $aspect, $from, $to, $runId
MATCH (t:TimeSeries {urn: $urn})
WHERE t.aspect IS NOT NULL AND t.timestamp IS NOT NULL
  AND ($aspect IS NULL OR t.aspect = $aspect)
  AND $from <= t.timestamp <= $to
  AND ($runId IS NULL OR t.runId = $runId)
RETURN count(t) AS total
