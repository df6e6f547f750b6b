// Removes everything an entity has and states, current or ended. The node
// stays, as a placeholder.
// $urns
UNWIND $urns AS urn
MATCH (e:Entity {urn: urn}) USING INDEX e:Entity(urn)
OPTIONAL MATCH (e)-[:HAS_ASPECT]->(a:Aspect)
DETACH DELETE a
WITH DISTINCT e, urn
OPTIONAL MATCH (t:TimeSeries {urn: urn})
WHERE t.aspect IS NOT NULL AND t.timestamp IS NOT NULL
DELETE t
WITH DISTINCT e, urn
SET e = {urn: urn, entityType: e.entityType, exists: false, removed: false, changedOn: e.changedOn, writeToken: e.writeToken}
WITH e, urn
OPTIONAL MATCH (e)-[r]->()
WHERE r.owner = urn
DELETE r
WITH DISTINCT e, urn
OPTIONAL MATCH (e)<-[m:FED_BY]-()
WHERE m.owner = urn
DELETE m
