// Entities one hop from each of some entities, and whether no relationship of some names leads on
// from them, with a thousand entities in a row: the driver spends more on a row than on an entity.
// The database counts relationships faster than it finds the first one. $$TYPES$$, $$OUTGOING$$ and
// $$INCOMING$$ are relationship names. $urns, $limit
UNWIND $urns AS urn
MATCH (e:Entity {urn: urn})-[r:$$TYPES$$]->(o:Entity)
USING INDEX SEEK e:Entity(urn)
WITH DISTINCT type(r) AS relationship, o LIMIT $limit
WITH collect([o.urn, 0, o.exists, o.removed, relationship,
  COUNT { (o)-[:$$OUTGOING$$]->() } + COUNT { (o)<-[:$$INCOMING$$]-() } = 0]) AS found
UNWIND range(0, size(found) - 1, 1000) AS at
RETURN found[at..at + 1000] AS found
