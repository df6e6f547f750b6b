// Latest versions of every aspect of each entity, and gone as in read/latest_named.
// $urns, $recent
UNWIND $urns AS urn
MATCH (e:Entity {urn: urn})
USING INDEX SEEK e:Entity(urn)
CALL (e) {
  MATCH (e)-[:HAS_ASPECT]->(a:Aspect {version: 0})
  RETURN collect(properties(a)) AS aspects
}
CALL (e, aspects) {
  WITH e, aspects
  WHERE e._changedOn >= $recent
  MATCH (e)-[:HAS_ASPECT]->(o:Aspect)
  WHERE o.version > 0 AND NONE(a IN aspects WHERE a.name = o.name)
  RETURN collect(DISTINCT o.name) AS gone
}
WITH urn, aspects, gone
WHERE size(aspects) > 0 OR size(gone) > 0
RETURN urn, aspects, gone
