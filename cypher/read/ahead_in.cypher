// Which of some entities lead to others, along relationships that lead to them. $$TYPES$$
// are relationship names.
// $from, $to
UNWIND $from AS urn
MATCH (f:Entity {urn: urn})<-[r:$$TYPES$$]-(e:Entity)
USING INDEX f:Entity(urn)
WHERE e.urn IN $to
RETURN DISTINCT type(r) AS relationship, urn AS feeder, e.urn AS urn
