// Ends of statements that an entity makes about others: its columns' lineage.
// Statements leave from a column that the entity has or, as a placeholder,
// that it speaks of; those are listed on the entity itself.
// $urns
UNWIND $urns AS urn
MATCH (e:Entity {urn: urn}) USING INDEX SEEK e:Entity(urn)
UNWIND coalesce(e._statedSources, []) AS source
RETURN urn, source
