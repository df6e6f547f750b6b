// Which entities have values of a time series.
// $urns, $aspect
UNWIND $urns AS urn
MATCH (e:Entity {urn: urn}) USING INDEX SEEK e:Entity(urn)
WHERE EXISTS { (e)-[:HAS_TIME_SERIES]->(t:TimeSeries) WHERE t.aspect = $aspect }
RETURN urn
