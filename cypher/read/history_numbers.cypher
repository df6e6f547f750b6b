// The numbers of every version of every aspect of entities: what has changed
// when they differ.
// $urns
UNWIND $urns AS urn
MATCH (e:Entity {urn: urn})-[:HAS_ASPECT]->(a:Aspect)
USING INDEX SEEK e:Entity(urn)
WITH urn, a.name AS name, a.seq AS seq, a.version AS version ORDER BY name, seq
RETURN urn, collect(name + ' ' + seq + ' ' + version) AS numbers
