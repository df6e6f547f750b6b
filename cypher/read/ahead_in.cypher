// The pairs of an entity of $from and an entity of $to, with a relationship that leads from the
// latter to the former. $$TYPES$$ are relationship names. $from, $to, $statedBy [type] (null for
// any)
UNWIND $from AS urn
MATCH (f:Entity {urn: urn})<-[r:$$TYPES$$]-(e:Entity)
USING INDEX SEEK f:Entity(urn)
WHERE e.urn IN $to AND ($statedBy IS NULL OR split(r.owner, ':')[2] IN $statedBy)
RETURN DISTINCT type(r) AS relationship, urn AS feeder, e.urn AS urn
