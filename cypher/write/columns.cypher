// Hangs columns on the entities that they belong to, and makes those of either that are
// missing. A column is marked inSchema as long as the schema has it. The nodes made here
// have no entityType: the catalog knows nothing of them until something is stated about
// them.
// $rows: [{urn, label, name, columns: [{urn, label, name, fieldPath, listed}]}] sorted by
// urn; listed is null where the schema was not read
UNWIND $rows AS row
MERGE (h:Entity {urn: row.urn})
ON CREATE SET h:$(row.label), h.name = row.name
WITH h, row
UNWIND row.columns AS column
MERGE (c:Entity {urn: column.urn})
ON CREATE SET c:$(column.label), c.name = column.name, c.fieldPath = column.fieldPath
FOREACH (listed IN CASE WHEN column.listed THEN [true] ELSE [] END | SET c.inSchema = true)
FOREACH (lost IN CASE WHEN NOT column.listed THEN [true] ELSE [] END | REMOVE c.inSchema)
MERGE (c)-[:COLUMN_OF]->(h)
