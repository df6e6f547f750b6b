// The entities that relationships of one type led to from each of some others at a moment.
// $$TYPES$$ is the type.
// $urns, $types, $asOf
UNWIND range(0, size($urns) - 1) AS place
MATCH (e:Entity {urn: $urns[place]})-[r:$$TYPES$$|ENDED]->(o:Entity)
USING INDEX SEEK e:Entity(urn)
WHERE coalesce(r.resumed, r.since) <= $asOf AND (r.until IS NULL OR r.until > $asOf) AND coalesce(r.type, type(r)) IN $types
RETURN place, collect(DISTINCT o.urn) AS ends
