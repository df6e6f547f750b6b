// Sets marks and properties of entities; a null removes a property.
// $rows: [{urn, type, label, exists, removed, properties}]
UNWIND $rows AS row
MATCH (e:Entity {urn: row.urn}) USING INDEX e:Entity(urn)
SET e += row.properties, e.entityType = row.type, e.exists = row.exists,
    e.removed = coalesce(row.removed, e.removed, false), e:$(row.label)
