// Which of some entities lead to each of others, along relationships that lead to them:
// found from the far ends. Of a far end with more than $few relationships only that is
// told. $$TYPES$$ are relationship names.
// $from, $to, $few
UNWIND $to AS urn
MATCH (e:Entity {urn: urn})
USING INDEX SEEK e:Entity(urn)
WITH e, COUNT { (e)-[:$$TYPES$$]->() } AS edges
CALL (e, edges) {
  WITH e, edges WHERE edges <= $few
  MATCH (e)-[r:$$TYPES$$]->(f:Entity)
  WHERE f.urn IN $from
  RETURN collect(DISTINCT [type(r), f.urn]) AS feeders
}
RETURN e.urn AS urn, edges > $few AS many, feeders
