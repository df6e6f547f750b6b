// States edges that are not current, whatever their relationship names. The line with
// $$TYPE$$ is repeated for each name of the model. A row has the properties in a list,
// in the member with the name of its relationship.
// $rows: [{source, destination, as: {name: [properties]}}]
UNWIND $rows AS row
MATCH (s:Entity {urn: row.source}) USING INDEX SEEK s:Entity(urn)
MATCH (d:Entity {urn: row.destination}) USING INDEX SEEK d:Entity(urn)
FOREACH (properties IN row.as.$$TYPE$$ | CREATE (s)-[r:$$TYPE$$]->(d) SET r = properties)
