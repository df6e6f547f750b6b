// Statements that lead to each of some entities. $$TYPES$$ are relationship names
// of the model.
// $urns, $limit, $kinds ["relationship near far"] (null for any)
UNWIND $urns AS urn
CALL (urn) {
  MATCH (e:Entity {urn: urn})<-[r:$$TYPES$$]-(o:Entity)
  USING INDEX SEEK e:Entity(urn)
  WHERE $kinds IS NULL OR type(r) + ' ' + e.entityType + ' ' + o.entityType IN $kinds
  RETURN type(r) AS type, o.urn AS other, properties(r) AS statement LIMIT $limit
}
RETURN urn, type, other, statement
