// Latest versions of every aspect.
// $urns
UNWIND $urns AS urn
MATCH (e:Entity {urn: urn})-[:HAS_ASPECT]->(a:Aspect {version: 0})
USING INDEX SEEK e:Entity(urn)
RETURN properties(a) AS aspect ORDER BY a.urn, a.name
