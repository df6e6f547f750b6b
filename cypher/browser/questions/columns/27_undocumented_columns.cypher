// Which tables have columns that nobody has described?
// Counts, for each table, the columns of its schema, those that people wrote about, and those without any description, with the types of these.
// The tables with the most columns to describe come first.
MATCH (t:Dataset)<-[:COLUMN_OF]-(c:SchemaField {inSchema: true})
WHERE t.exists AND NOT t.removed
WITH t, c ORDER BY c.name
WITH t, count(c) AS columns, count(c.editedDescription) AS `written about`,
  collect(CASE WHEN coalesce(c.editedDescription, c.description) IS NULL THEN c.name + ': ' + c.dataType END) AS undocumented
RETURN t.platformId AS platform, t.qualifiedName AS table, columns, `written about`, size(undocumented) AS number, undocumented
ORDER BY number DESC, `written about` DESC, platform, table
LIMIT 25
