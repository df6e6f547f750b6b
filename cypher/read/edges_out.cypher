// Statements that leave each of some entities. $$TYPES$$ are relationship names
// of the model.
// $urns, $limit
UNWIND $urns AS urn
CALL (urn) {
  MATCH (e:Entity {urn: urn})-[r:$$TYPES$$]->(o:Entity)
  USING INDEX e:Entity(urn)
  RETURN type(r) AS type, o.urn AS other, properties(r) AS statement LIMIT $limit
}
RETURN urn, type, other, statement
