// For each entity of $to, the entities of $from to which its relationships lead. The search begins
// at $to. For an entity of $to with more than $few relationships, the answer says only that.
// $$TYPES$$ are relationship names. $from, $to, $few
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
