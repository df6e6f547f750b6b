// Every version of every aspect of entities.
// $urns
UNWIND $urns AS urn
MATCH (e:Entity {urn: urn})-[:HAS_ASPECT]->(a:Aspect)
USING INDEX SEEK e:Entity(urn)
RETURN properties(a) AS aspect ORDER BY a.urn, a.name, a.seq
