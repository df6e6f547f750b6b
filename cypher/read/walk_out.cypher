// The entities that can be reached from an entity in the direction of the relationships, each once
// at its smallest distance. The rows come nearest first, as the server finds them. The statement
// may ask for nothing of a path but its length: only then the database goes breadth-first and
// visits each node once, instead of making every path. $$TYPES$$ are relationship names, $$LABELS$$
// the labels that every entity on the way has one of, $$EXCEPT$$ the relationships that are not
// followed, $$HOPS$$ the bound on the distance or nothing. $urn, $limit
MATCH p = (e:Entity {urn: $urn})-[:$$TYPES$$*1..$$HOPS$$]->(o:Entity)
USING INDEX SEEK e:Entity(urn)
WHERE all(n IN nodes(p) WHERE n:$$LABELS$$)
  AND none(r IN relationships(p) WHERE $$EXCEPT$$)
WITH o, min(length(p)) AS degree, e
WHERE o <> e
RETURN o.urn AS urn, degree, o.exists AS exists, o.removed AS removed LIMIT $limit
