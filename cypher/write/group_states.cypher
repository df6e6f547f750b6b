// The states that a group of updates asks for: the marks that the last write left on existing
// entities, then the latest versions of their aspects, or the highest number of an aspect without a
// latest version. The marks are collected before any version is read: if they are still the same
// under a lock, so are the versions. The rest of the aspects is left out behind the value that
// reaches $group.characters (null for no bound). The plan is kept: the hints leave the database no
// choice, and planning again while a new database grows would take a second each time.
// $group.entities: [{urn, keys: [{i, name}]}], $group.characters
CYPHER replan=skip
CALL () {
  UNWIND $group.entities AS row
  MATCH (e:Entity {urn: row.urn}) USING INDEX SEEK e:Entity(urn)
  RETURN collect({urn: row.urn, writeToken: e._writeToken, changedOn: e._changedOn, typed: e.entityType IS NOT NULL, keys: row.keys}) AS entities
}
CALL (entities) {
  UNWIND entities AS entity
  RETURN null AS i, entity {.urn, .writeToken, .changedOn, .typed} AS entity, null AS latest, null AS seq
  UNION ALL
  WITH entities
  UNWIND entities AS entity
  UNWIND entity.keys AS key
  OPTIONAL MATCH (a:Aspect {urn: entity.urn, name: key.name, version: 0})
  USING INDEX SEEK a:Aspect(urn, name, version)
  WITH collect({urn: entity.urn, key: key, a: a}) AS found
  WITH found, CASE WHEN $group.characters IS NULL THEN size(found) ELSE
    reduce(page = {characters: 0, rows: 0}, row IN found | CASE WHEN page.characters >= $group.characters THEN page
      ELSE {characters: page.characters + coalesce(size(row.a.value), 0), rows: page.rows + 1} END).rows END AS rows
  UNWIND found[..rows] AS row
  WITH row.urn AS urn, row.key AS key, row.a AS a
  CALL (urn, key, a) {
    WITH urn, key, a
    WHERE a IS NULL
    MATCH (o:Aspect {urn: urn, name: key.name})
    USING INDEX SEEK o:Aspect(urn, name, version)
    WHERE o.version >= 0
    RETURN max(o.seq) AS seq
  }
  RETURN key.i AS i, null AS entity, properties(a) AS latest, seq
}
RETURN i, entity, latest, seq
