// Adds statements that ended in the past.
// $rows: [{source, destination, properties}]
UNWIND $rows AS row
MATCH (s:Entity {urn: row.source}) USING INDEX SEEK s:Entity(urn)
MATCH (d:Entity {urn: row.destination}) USING INDEX SEEK d:Entity(urn)
CREATE (s)-[n:ENDED]->(d)
SET n = row.properties
