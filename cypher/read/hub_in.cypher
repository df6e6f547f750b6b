// A page of an entity's many edges, each (type, other end) once, and how many
// there are. $$TYPES$$ are relationship names of the model.
// $urn, $types, $asOf (null for now), $start, $count,
// $kinds ["relationship near far"] (null for any)
MATCH (e:Entity {urn: $urn})<-[r:$$TYPES$$|ENDED]-(o:Entity)
USING INDEX SEEK e:Entity(urn)
WHERE coalesce(r.type, type(r)) IN $types
  AND ($kinds IS NULL OR coalesce(r.type, type(r)) + ' ' + e.entityType + ' ' + o.entityType IN $kinds)
  AND CASE WHEN $asOf IS NULL THEN r.until IS NULL
      ELSE coalesce(r.resumed, r.since) <= $asOf AND (r.until IS NULL OR r.until > $asOf) END
WITH coalesce(r.type, type(r)) AS type, o.urn AS other, collect(properties(r)) AS statements
ORDER BY type, other
WITH collect({type: type, other: other, statements: statements}) AS edges
RETURN size(edges) AS total, edges[$start .. $start + $count] AS page
