// What leads to some entities, along relationships that lead to the entities that lead, and
// that entities of some types state: found from the far ends. $$TYPES$$ are
// relationship names.
// $to, $statedBy [type]
UNWIND $to AS urn
MATCH (e:Entity {urn: urn})-[r:$$TYPES$$]->(f:Entity)
USING INDEX SEEK e:Entity(urn)
WHERE split(r.owner, ':')[2] IN $statedBy
RETURN DISTINCT type(r) AS relationship, f.urn AS feeder, urn
