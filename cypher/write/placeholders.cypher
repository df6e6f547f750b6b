// Makes the ends of edges that are not there yet.
// $rows: [{urn, type, label}] sorted by urn
UNWIND $rows AS row
MERGE (e:Entity {urn: row.urn})
ON CREATE SET e.entityType = row.type, e.exists = false, e.removed = false, e:$(row.label)
