// As walk_out, for a walk that is cut: the nearest entities, and of equally near entities the first
// by URN. The statement may ask for nothing of a path but its length: only then the database goes
// breadth-first and visits each node once, instead of making every path. $$TYPES$$ are relationship
// names, $$LABELS$$ the labels that every entity on the way has one of, $$HOPS$$ the bound on the
// distance or nothing. $urn, $limit
MATCH p = (e:Entity {urn: $urn})-[:$$TYPES$$*1..$$HOPS$$]->(o:Entity)
USING INDEX SEEK e:Entity(urn)
WHERE all(n IN nodes(p) WHERE n:$$LABELS$$)
  AND none(r IN relationships(p) WHERE $$EXCEPT$$)
WITH o, min(length(p)) AS degree, e
WHERE o <> e
WITH o.urn AS urn, degree, o.exists AS exists, o.removed AS removed
ORDER BY degree, urn LIMIT $limit
RETURN urn, degree, exists, removed
