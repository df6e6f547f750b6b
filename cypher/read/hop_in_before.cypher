// Entities one hop to each of some entities, each with the first given entity, by URN, that it
// leads to, and whether it leads to others. $$TYPES$$ are relationship names. $urns
UNWIND $urns AS urn
MATCH (e:Entity {urn: urn})<-[r:$$TYPES$$]-(o:Entity)
USING INDEX SEEK e:Entity(urn)
WITH type(r) AS relationship, o, min(urn) AS before, max(urn) AS last
RETURN relationship, o.urn AS urn, o.exists AS exists, o.removed AS removed, before, before <> last AS others
