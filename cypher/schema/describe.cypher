// Names nodes of an earlier release by their URNs.
// $rows: [{urn, name, fieldPath}]
UNWIND $rows AS row
MATCH (e:Entity {urn: row.urn}) USING INDEX e:Entity(urn)
SET e.name = coalesce(e.name, row.name), e.fieldPath = coalesce(row.fieldPath, e.fieldPath)
