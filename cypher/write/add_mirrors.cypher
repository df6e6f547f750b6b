// Puts the store's own FED_BY beside relationships that lead downstream, the
// other way round: from the entity that is fed to the one that feeds it.
// $rows: [{owner, aspect, path, source, type, destination}]
UNWIND $rows AS row
MATCH (s:Entity {urn: row.source}) USING INDEX SEEK s:Entity(urn)
MATCH (d:Entity {urn: row.destination}) USING INDEX SEEK d:Entity(urn)
CREATE (d)-[:FED_BY {owner: row.owner, aspect: row.aspect, path: row.path, mirrors: row.type}]->(s)
