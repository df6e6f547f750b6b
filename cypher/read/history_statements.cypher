// Every statement that entities make or made: about themselves, and about other entities, such as
// their columns. $$TYPES$$ are the relationship names of the model. $urns
UNWIND $urns AS urn
MATCH (e:Entity {urn: urn})
USING INDEX SEEK e:Entity(urn)
CALL (e, urn) {
  MATCH (e)-[r:$$TYPES$$|ENDED]->(d:Entity)
  WHERE r.owner = urn
  RETURN e AS s, r, d
  UNION ALL
  UNWIND coalesce(e._statedSources, []) AS source
  MATCH (s:Entity {urn: source})-[r:$$TYPES$$|ENDED]->(d:Entity)
  WHERE r.owner = urn
  RETURN s, r, d
}
RETURN s.urn AS source, s.entityType AS sourceType, coalesce(r.type, type(r)) AS type,
  d.urn AS destination, d.entityType AS destinationType, properties(r) AS statement
