// The entities that an owner's own statements touch.
// $urns
UNWIND $urns AS urn
MATCH (e:Entity {urn: urn})-[r]->(d:Entity)
USING INDEX SEEK e:Entity(urn)
WHERE r.owner = urn
RETURN DISTINCT d.urn AS urn
