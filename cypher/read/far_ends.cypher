// The entities that relationships of one type lead to from each of some others. $$TYPES$$ is
// the type.
// $urns
UNWIND range(0, size($urns) - 1) AS place
MATCH (e:Entity {urn: $urns[place]})-[:$$TYPES$$]->(o:Entity)
USING INDEX SEEK e:Entity(urn)
RETURN place, collect(DISTINCT o.urn) AS ends
