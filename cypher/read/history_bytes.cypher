// The size of the values of every version of every aspect of entities.
// $urns
UNWIND $urns AS urn
MATCH (e:Entity {urn: urn})-[:HAS_ASPECT]->(a:Aspect)
USING INDEX SEEK e:Entity(urn)
RETURN urn, sum(coalesce(size(a.value), 0)) AS bytes
