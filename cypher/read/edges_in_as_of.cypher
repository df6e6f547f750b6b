// Statements that led to each of some entities at a moment. $$TYPES$$ are
// relationship names.
// $urns, $types, $asOf, $limit, $kinds ["relationship near far"] (null for any)
UNWIND $urns AS urn
CALL (urn) {
  MATCH (e:Entity {urn: urn})<-[r:$$TYPES$$|ENDED]-(o:Entity)
  USING INDEX SEEK e:Entity(urn)
  WHERE coalesce(r.resumed, r.since) <= $asOf AND (r.until IS NULL OR r.until > $asOf) AND coalesce(r.type, type(r)) IN $types
    AND ($kinds IS NULL OR coalesce(r.type, type(r)) + ' ' + e.entityType + ' ' + o.entityType IN $kinds)
  RETURN coalesce(r.type, type(r)) AS type, o.urn AS other, properties(r) AS statement LIMIT $limit
}
RETURN urn, type, other, statement
