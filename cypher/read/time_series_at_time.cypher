// Values of a time-series aspect of all entities with one timestamp, after a URN and a key.
// $aspect, $time, $urn, $key, $limit
MATCH (t:TimeSeries)
USING INDEX SEEK t:TimeSeries(aspect, timestamp, urn, key)
WHERE t.aspect = $aspect AND t.timestamp = $time AND t.urn <= $urn AND t.key IS NOT NULL
  AND (t.urn < $urn OR t.key < $key)
WITH t ORDER BY t.urn DESC, t.key DESC LIMIT $limit
RETURN properties(t) AS value ORDER BY t.urn DESC, t.key DESC
