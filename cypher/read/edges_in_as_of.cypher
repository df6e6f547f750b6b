// Statements that led to an entity at a moment. $$TYPES$$ are relationship names.
// $urn, $types, $asOf, $limit
MATCH (e:Entity {urn: $urn})<-[r:$$TYPES$$|ENDED]-(o:Entity)
USING INDEX e:Entity(urn)
WHERE r.since <= $asOf AND (r.until IS NULL OR r.until > $asOf) AND coalesce(r.type, type(r)) IN $types
RETURN coalesce(r.type, type(r)) AS type, o.urn AS other, properties(r) AS statement LIMIT $limit
