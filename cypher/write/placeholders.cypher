// Makes the ends of edges that are not there yet, or that only people see so far.
// $rows: [{urn, type, label, name, fieldPath, shown}] sorted by urn
UNWIND $rows AS row
MERGE (e:Entity {urn: row.urn})
FOREACH (unknown IN CASE WHEN e.entityType IS NULL THEN [true] ELSE [] END |
  SET e.entityType = row.type, e.exists = false, e.removed = false, e:$(row.label),
      e.name = coalesce(e.name, row.name), e.fieldPath = coalesce(e.fieldPath, row.fieldPath), e += row.shown)
