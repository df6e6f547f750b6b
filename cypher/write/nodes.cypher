// Sets marks and properties of entities; a null removes a property. The name that the
// URN gives stands in for one that is not given, as does the qualified name.
// $rows: [{urn, type, label, name, shown, exists, removed, properties}]
UNWIND $rows AS row
MATCH (e:Entity {urn: row.urn}) USING INDEX SEEK e:Entity(urn)
SET e += row.properties, e.entityType = row.type, e.exists = row.exists,
    e.removed = coalesce(row.removed, e.removed, false), e:$(row.label),
    e.name = CASE WHEN 'name' IN keys(row.properties) THEN coalesce(row.properties.name, row.name) ELSE coalesce(e.name, row.name) END,
    e.qualifiedName = CASE WHEN 'qualifiedName' IN keys(row.properties) THEN coalesce(row.properties.qualifiedName, row.shown.qualifiedName) ELSE coalesce(e.qualifiedName, row.shown.qualifiedName) END
