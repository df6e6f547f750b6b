// The pairs of an entity of $from and an entity of $to, with a relationship that led at a moment
// from the latter to the former. $$TYPES$$ are relationship names. $from, $to, $types, $asOf,
// $statedBy [type] (null for any)
UNWIND $from AS urn
MATCH (f:Entity {urn: urn})<-[r:$$TYPES$$|ENDED]-(e:Entity)
USING INDEX SEEK f:Entity(urn)
WHERE e.urn IN $to AND ($statedBy IS NULL OR split(r.owner, ':')[2] IN $statedBy)
  AND coalesce(r.resumed, r.since) <= $asOf AND (r.until IS NULL OR r.until > $asOf) AND coalesce(r.type, type(r)) IN $types
RETURN DISTINCT coalesce(r.type, type(r)) AS relationship, urn AS feeder, e.urn AS urn
