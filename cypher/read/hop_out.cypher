// Entities one hop from each of some entities, and whether no relationship of some
// names leads on from them. $$TYPES$$, $$OUTGOING$$ and $$INCOMING$$ are relationship
// names.
// $urns
UNWIND $urns AS urn
MATCH (e:Entity {urn: urn})-[r:$$TYPES$$]->(o:Entity)
USING INDEX SEEK e:Entity(urn)
WITH DISTINCT type(r) AS relationship, o
RETURN relationship, o.urn AS urn, o.exists AS exists, o.removed AS removed,
  NOT EXISTS { (o)-[:$$OUTGOING$$]->() } AND NOT EXISTS { (o)<-[:$$INCOMING$$]-() } AS ends
