// The given entities that are soft-deleted. The plan is kept: the hint leaves the database no
// choice. $urns
CYPHER replan=skip
UNWIND $urns AS urn
MATCH (e:Entity {urn: urn}) USING INDEX SEEK e:Entity(urn)
WHERE e.removed
RETURN e.urn AS urn
