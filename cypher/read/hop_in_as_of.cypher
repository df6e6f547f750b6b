// Entities one hop to each of some entities at a moment, each with the first given entity, by URN,
// that it leads to, and whether it leads to others. $$TYPES$$ are relationship names. $urns,
// $types, $asOf
UNWIND $urns AS urn
MATCH (e:Entity {urn: urn})<-[r:$$TYPES$$|ENDED]-(o:Entity)
USING INDEX SEEK e:Entity(urn)
WHERE coalesce(r.resumed, r.since) <= $asOf AND (r.until IS NULL OR r.until > $asOf) AND coalesce(r.type, type(r)) IN $types
WITH coalesce(r.type, type(r)) AS relationship, o, min(urn) AS before, max(urn) AS last
RETURN relationship, o.urn AS urn, o.exists AS exists, o.removed AS removed, before, before <> last AS others
