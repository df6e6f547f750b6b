// Entities one hop to each of some entities at a moment. $$TYPES$$ are relationship
// names.
// $urns, $types, $asOf
UNWIND $urns AS urn
MATCH (e:Entity {urn: urn})<-[r:$$TYPES$$|ENDED]-(o:Entity)
USING INDEX e:Entity(urn)
WHERE coalesce(r.resumed, r.since) <= $asOf AND (r.until IS NULL OR r.until > $asOf) AND coalesce(r.type, type(r)) IN $types
RETURN DISTINCT coalesce(r.type, type(r)) AS relationship, o.urn AS urn, o.exists AS exists, o.removed AS removed
