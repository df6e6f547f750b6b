// Values of a time-series aspect of several entities, newest first, ties by key.
// $places (index, urn, afterTime, afterKey; null for the first page), $aspect, $from, $to, $limit (of each entity)
UNWIND $places AS place
CALL {
  WITH place
  MATCH (t:TimeSeries {urn: place.urn, aspect: $aspect})
  USING INDEX SEEK t:TimeSeries(urn, aspect, timestamp)
  WHERE $from <= t.timestamp <= $to
    AND (place.afterKey IS NULL OR t.timestamp < place.afterTime OR t.timestamp = place.afterTime AND t.key > place.afterKey)
  RETURN t ORDER BY t.timestamp DESC, t.key LIMIT $limit
}
RETURN place.index AS index, properties(t) AS value
