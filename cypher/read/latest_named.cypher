// Latest versions of the named aspects of each entity. Of an entity that was written after $recent, gone names those
// aspects that have versions but no latest one: maybe another transaction is just putting a new version in the place of
// the former one, because the database shows parts of a commit.
// The mark of the entity is read after the versions. The plan is kept: the hints leave the database no choice, and
// without replan=skip the database would plan again and again while it is filled.
// $urns, $names, $recent
CYPHER replan=skip
UNWIND $urns AS urn
CALL (urn) {
  UNWIND $names AS name
  MATCH (a:Aspect {urn: urn, name: name, version: 0})
  USING INDEX SEEK a:Aspect(urn, name, version)
  RETURN collect(properties(a)) AS aspects
}
CALL (urn, aspects) {
  MATCH (e:Entity {urn: urn})
  USING INDEX SEEK e:Entity(urn)
  WHERE e._changedOn >= $recent
  UNWIND [name IN $names WHERE NONE(a IN aspects WHERE a.name = name)] AS name
  MATCH (o:Aspect {urn: urn, name: name})
  USING INDEX SEEK o:Aspect(urn, name, version)
  WHERE o.version > 0
  RETURN collect(DISTINCT name) AS gone
}
WITH urn, aspects, gone
WHERE size(aspects) > 0 OR size(gone) > 0
RETURN urn, aspects, gone
