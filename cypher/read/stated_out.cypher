// The entities whose relationships lead to the entities of $to, if entities of some types state the
// relationships. The search begins at $to. $$TYPES$$ are relationship names. $to, $statedBy [type]
UNWIND $to AS urn
MATCH (e:Entity {urn: urn})<-[r:$$TYPES$$]-(f:Entity)
USING INDEX SEEK e:Entity(urn)
WHERE split(r.owner, ':')[2] IN $statedBy
RETURN DISTINCT type(r) AS relationship, f.urn AS feeder, urn
