// The numbers of all versions of all aspects of entities. If they differ from earlier numbers, an
// aspect has changed. $urns
UNWIND $urns AS urn
MATCH (e:Entity {urn: urn})-[:HAS_ASPECT]->(a:Aspect)
USING INDEX SEEK e:Entity(urn)
WITH urn, a.name AS name, a.seq AS seq, a.version AS version ORDER BY name, seq
RETURN urn, collect(name + ' ' + seq + ' ' + version) AS numbers
