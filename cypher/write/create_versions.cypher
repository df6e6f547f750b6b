// Stores new latest versions of aspects that have no latest one.
// $rows: [{urn, label, properties}]
UNWIND $rows AS row
MATCH (e:Entity {urn: row.urn}) USING INDEX e:Entity(urn)
CREATE (e)-[:HAS_ASPECT]->(a:Aspect:$(row.label))
SET a = row.properties
