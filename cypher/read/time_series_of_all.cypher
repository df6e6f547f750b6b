// Values of a time-series aspect of all entities, newest first.
// $aspect, $from, $to, $limit
MATCH (t:TimeSeries)
USING INDEX SEEK t:TimeSeries(aspect, timestamp, urn, key)
WHERE t.aspect = $aspect AND $from <= t.timestamp <= $to AND t.urn IS NOT NULL AND t.key IS NOT NULL
WITH t ORDER BY t.timestamp DESC, t.urn DESC, t.key DESC LIMIT $limit
RETURN properties(t) AS value ORDER BY t.timestamp DESC, t.urn DESC, t.key DESC
