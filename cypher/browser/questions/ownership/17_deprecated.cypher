// What is deprecated but still used?
// Lists deprecated entities together with everything that still depends on them, and whom to ask.
// When a row disappears, somebody has moved on.
MATCH (t:Entity)
WHERE t.deprecated AND NOT t.removed
WITH DISTINCT t
MATCH (t)<-[:DownstreamOf|Consumes|Contains|DerivedFrom|FED_BY*1..]-(e:Entity)
WITH DISTINCT t, e
WHERE e.exists AND NOT e.removed
RETURN t.name AS deprecated, e.entityType AS type, e.name AS `used by`,
  COLLECT { MATCH (e)-[:OwnedBy]->(o:Entity) RETURN DISTINCT o.name AS owner ORDER BY owner } AS owners
ORDER BY deprecated, type, `used by`
