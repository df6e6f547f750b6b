// Begins the one statement that writes the results of a group of updates; the parts that write rows
// follow it. Locks the entities in the order given and makes the missing ones. If another server
// has written one of these entities since it was read, or one of the entities that are only
// compared and locked, nothing is written, and no record is returned. Otherwise the entities get
// new marks. Setting a property locks a node until the transaction ends. The marks are read after
// that, as all properties: the database may read single ones together with the node, before the
// lock. The marks alone do not tell that nothing was written: while a transaction commits, the
// database shows parts of it to those who read without locks, maybe the new mark with old versions.
// So the latest versions are compared, too. The plan is kept: the hints leave the database no
// choice, and planning again while a new database grows would take a second each time.
// $group.entities: [{urn, writeToken, changedOn, typed, now}] sorted by urn, $group.compared:
// [{urn, writeToken, changedOn, typed}], $group.versions: [{urn, name, seq, createdOn}] as they
// were read, 0 for none, $token
CYPHER replan=skip
UNWIND $group.entities AS row
MERGE (e:Entity {urn: row.urn})
SET e._locked = true
REMOVE e._locked
WITH e, row, properties(e) AS p
WITH e, row.now AS now, coalesce(p._writeToken, 0) = row.writeToken AND coalesce(p._changedOn, 0) = row.changedOn AND (p.entityType IS NOT NULL) = row.typed AS same
WITH collect({node: e, now: now}) AS entities, sum(CASE WHEN same THEN 0 ELSE 1 END) AS others
CALL () {
  UNWIND $group.compared AS row
  OPTIONAL MATCH (e:Entity {urn: row.urn}) USING INDEX SEEK e:Entity(urn)
  SET e._locked = true
  REMOVE e._locked
  WITH row, properties(e) AS p
  WITH coalesce(p._writeToken, 0) = row.writeToken AND coalesce(p._changedOn, 0) = row.changedOn AND (p.entityType IS NOT NULL) = row.typed AS same
  RETURN sum(CASE WHEN same THEN 0 ELSE 1 END) AS more
}
CALL () {
  UNWIND $group.versions AS row
  OPTIONAL MATCH (a:Aspect {urn: row.urn, name: row.name, version: 0})
  USING INDEX SEEK a:Aspect(urn, name, version)
  RETURN sum(CASE WHEN coalesce(a.seq, 0) = row.seq AND coalesce(a.createdOn, 0) = row.createdOn THEN 0 ELSE 1 END) AS newer
}
WITH entities, others + more + newer AS others
CALL (entities, others) {
  UNWIND CASE WHEN others = 0 THEN [] ELSE entities END AS entity
  WITH entity.node AS e
  WHERE e.entityType IS NULL AND NOT (e)--()
  DELETE e
}
WITH entities, others
WHERE others = 0
CALL (entities) {
  UNWIND entities AS entity
  WITH entity.node AS e, entity.now AS now
  SET e._writeToken = $token, e._changedOn = now
}
