// Names nodes of an earlier release by their URNs, and gives them the properties of their aspects
// that people see. $rows: [{urn, name, fieldPath, shown, properties}]
UNWIND $rows AS row
MATCH (e:Entity {urn: row.urn}) USING INDEX SEEK e:Entity(urn)
SET e.name = coalesce(e.name, row.name), e.fieldPath = coalesce(row.fieldPath, e.fieldPath),
    e.qualifiedName = coalesce(e.qualifiedName, row.shown.qualifiedName), e.platformId = row.shown.platformId, e += row.properties
