// How many versions entities have, and how many values of each time series.
// $urns
UNWIND $urns AS urn
CALL (urn) {
  OPTIONAL MATCH (e:Entity {urn: urn})-[:HAS_ASPECT]->(a:Aspect)
  RETURN count(a) AS versions
}
CALL (urn) {
  MATCH (t:TimeSeries {urn: urn})
  WHERE t.aspect IS NOT NULL AND t.timestamp IS NOT NULL
  WITH t.aspect AS aspect, count(*) AS total
  RETURN collect({aspect: aspect, total: total}) AS series
}
WITH urn, versions, series WHERE versions > 0 OR size(series) > 0
RETURN urn, versions, series
