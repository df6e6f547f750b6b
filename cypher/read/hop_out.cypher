// Entities one hop from each of some entities, whether no relationship of some names leads on from
// them, and whether none of one name leaves them. A row has up to a thousand entities of which the
// same is true: the driver spends more on a row than on an entity, and more on a list than on a
// text. The database counts relationships faster than it finds the first one. $$TYPES$$,
// $$OUTGOING$$, $$INCOMING$$ and $$LACKING$$ are relationship names. $urns, $limit
UNWIND $urns AS urn
MATCH (e:Entity {urn: urn})-[r:$$TYPES$$]->(o:Entity)
USING INDEX SEEK e:Entity(urn)
WITH DISTINCT type(r) AS relationship, o LIMIT $limit
WITH relationship, o.exists AS exists, o.removed AS removed,
  COUNT { (o)-[:$$OUTGOING$$]->() } + COUNT { (o)<-[:$$INCOMING$$]-() } = 0 AS ends,
  COUNT { (o)-[:$$LACKING$$]->() } = 0 AS lacks, collect(o.urn) AS found
UNWIND range(0, size(found) - 1, 1000) AS at
RETURN relationship, exists, removed, ends, lacks, found[at..at + 1000] AS found
