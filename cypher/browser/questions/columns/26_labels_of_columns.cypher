// Which columns have tags or terms?
// Lists each column of a schema with its tags and terms, whether its source states them or people put them there.
// The aspect tells which: editableSchemaMetadata is what people wrote.
MATCH (c:SchemaField {inSchema: true})-[r:HAS_TAG|HAS_TERM]->(label:Entity), (c)-[:COLUMN_OF]->(t:Dataset)
RETURN DISTINCT t.platformId AS platform, t.qualifiedName AS table, c.name AS column, c.dataType AS type, label.name AS label, r.aspect AS aspect
ORDER BY platform, table, column, label, aspect
LIMIT 100
