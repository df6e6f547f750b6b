// The newest value of each of some time-series aspects of each of some entities.
// The plan is kept: the hints leave the database no choice, and without replan=skip the database
// would plan again and again while it is filled.
// $urns, $aspects
CYPHER replan=skip
UNWIND $urns AS urn
UNWIND $aspects AS aspect
CALL {
  WITH urn, aspect
  MATCH (t:TimeSeries {urn: urn, aspect: aspect})
  USING INDEX SEEK t:TimeSeries(urn, aspect, timestamp)
  WHERE t.timestamp IS NOT NULL
  RETURN t ORDER BY t.timestamp DESC, t.key LIMIT 1
}
RETURN properties(t) AS value
