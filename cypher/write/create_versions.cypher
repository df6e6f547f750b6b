// Stores new latest versions of aspects that have no latest one.
// $rows: [{urn, versions: [{label, properties}]}]
UNWIND $rows AS row
MATCH (e:Entity {urn: row.urn}) USING INDEX SEEK e:Entity(urn)
UNWIND row.versions AS version
CREATE (e)-[:HAS_ASPECT]->(a:Aspect:$(version.label))
SET a = version.properties
