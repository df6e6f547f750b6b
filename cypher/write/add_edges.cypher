// States edges that are not current. $$TYPES$$ is one relationship name of the
// model: Neo4j 5.26 has dynamic types, [r:$(row.type)], but a cached plan goes on
// using the first type that it saw.
// $rows: [{source, destination, properties}]
UNWIND $rows AS row
MATCH (s:Entity {urn: row.source}) USING INDEX SEEK s:Entity(urn)
MATCH (d:Entity {urn: row.destination}) USING INDEX SEEK d:Entity(urn)
CREATE (s)-[r:$$TYPES$$]->(d)
SET r = row.properties
