// Hangs columns on the entities that they belong to, and makes those of either that are
// missing. The nodes made here have no entityType: the catalog knows nothing of them until
// something is stated about them. shown is empty where nothing is new about a column; a
// null in it removes a property.
// $rows: [{urn, label, name, shown, columns: [{urn, label, name, fieldPath, shown}]}]
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
