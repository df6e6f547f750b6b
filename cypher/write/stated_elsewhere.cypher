// Ends of the statements that an entity makes about its columns. Such a statement leaves from a
// column of the entity, or from a placeholder of a column that the entity names and lists in
// _statedSources. $urns
UNWIND $urns AS urn
MATCH (e:Entity {urn: urn}) USING INDEX SEEK e:Entity(urn)
UNWIND coalesce(e._statedSources, []) AS source
RETURN urn, source
