// Lists on an entity the sources of the statements it makes about others, so
// that they are found when it is deleted.
// $rows: [{owner, sources}]
UNWIND $rows AS row
MATCH (e:Entity {urn: row.owner}) USING INDEX SEEK e:Entity(urn)
SET e._statedSources = coalesce(e._statedSources, []) + [s IN row.sources WHERE NOT s IN coalesce(e._statedSources, [])]
