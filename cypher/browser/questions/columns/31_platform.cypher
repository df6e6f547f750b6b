// Which tables does a platform have?
// Lists the tables of a platform by their qualified names, with what they are and how many columns their schema has.
// For one of them, ask for its qualifiedName.
WITH 'postgres' AS platform
MATCH (t:Dataset {platformId: platform})
WHERE t.exists AND NOT t.removed
RETURN t.qualifiedName AS table, t.subtypes AS subtypes, COUNT { (t)<-[:COLUMN_OF]-(:SchemaField {inSchema: true}) } AS columns
ORDER BY table
LIMIT 100
