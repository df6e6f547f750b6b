// Values of a time-series aspect, oldest first, ties by key.
// $urn, $aspect, $from, $to, $afterTime, $afterKey (null for the first page), $limit
MATCH (t:TimeSeries {urn: $urn, aspect: $aspect})
USING INDEX SEEK t:TimeSeries(urn, aspect, timestamp)
WHERE $from <= t.timestamp <= $to
  AND ($afterKey IS NULL OR t.timestamp > $afterTime OR t.timestamp = $afterTime AND t.key > $afterKey)
RETURN properties(t) AS value ORDER BY t.timestamp, t.key LIMIT $limit
