// The newest value of each of some time-series aspects of each of some entities.
// $urns, $aspects
UNWIND $urns AS urn
UNWIND $aspects AS aspect
CALL {
  WITH urn, aspect
  MATCH (t:TimeSeries {urn: urn, aspect: aspect})
  USING INDEX t:TimeSeries(urn, aspect, timestamp)
  WHERE t.timestamp IS NOT NULL
  RETURN t ORDER BY t.timestamp DESC, t.key LIMIT 1
}
RETURN properties(t) AS value
