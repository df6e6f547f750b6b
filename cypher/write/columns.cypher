// Hangs columns on the entities that they belong to, and makes missing nodes of columns and
// entities. These nodes have no entityType, because the catalog knows nothing of them until an
// aspect is stated. shown is empty if nothing about a column is new; a null in it removes a
// property. $rows: [{urn, label, name, shown, columns: [{urn, label, name, fieldPath, shown}]}]
// sorted by urn
UNWIND $rows AS row
MERGE (h:Entity {urn: row.urn})
ON CREATE SET h:$(row.label), h.name = row.name, h.removed = false, h += row.shown
WITH h, row
UNWIND row.columns AS column
MERGE (c:Entity {urn: column.urn})
ON CREATE SET c:$(column.label), c.name = column.name, c.fieldPath = column.fieldPath, c.removed = false
SET c += column.shown
MERGE (c)-[:COLUMN_OF]->(h)
