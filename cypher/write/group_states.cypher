// What a group of updates needs to know: the marks that the last write left on
// entities that are there, then the latest versions of aspects, or the highest
// number of aspects without one. The marks are collected before any version is read:
// if they are still the same under a lock, so are the versions.
// $urns, $keys: [{i, urn, name}]
CALL () {
  UNWIND $urns AS urn
  MATCH (e:Entity {urn: urn}) USING INDEX e:Entity(urn)
  RETURN collect({urn: urn, writeToken: e.writeToken, changedOn: e.changedOn, typed: e.entityType IS NOT NULL}) AS entities
}
CALL (entities) {
  UNWIND entities AS entity
  RETURN null AS i, entity, null AS latest, null AS seq
  UNION ALL
  UNWIND $keys AS key
  OPTIONAL MATCH (a:Aspect {urn: key.urn, name: key.name, version: 0})
  CALL (key, a) {
    WITH key, a
    WHERE a IS NULL
    MATCH (o:Aspect {urn: key.urn, name: key.name})
    WHERE o.version >= 0
    RETURN max(o.seq) AS seq
  }
  RETURN key.i AS i, null AS entity, properties(a) AS latest, seq
}
RETURN i, entity, latest, seq
