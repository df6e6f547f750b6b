// Removes everything an entity has and states, current or ended. The node stays, as a placeholder,
// with its columns, which no schema has any longer. A deleted column keeps the properties from its
// schema. $rows: [{urn, name, fieldPath, shown}]
UNWIND $rows AS row
MATCH (e:Entity {urn: row.urn}) USING INDEX SEEK e:Entity(urn)
OPTIONAL MATCH (e)-[:HAS_ASPECT]->(a:Aspect)
DETACH DELETE a
WITH DISTINCT e, row
OPTIONAL MATCH (t:TimeSeries {urn: row.urn}) USING INDEX SEEK t:TimeSeries(urn, aspect, timestamp)
WHERE t.aspect IS NOT NULL AND t.timestamp IS NOT NULL
DETACH DELETE t
WITH DISTINCT e, row
SET e = {urn: row.urn, entityType: e.entityType, name: row.name, fieldPath: row.fieldPath, inSchema: e.inSchema, dataType: e.dataType,
         nativeType: e.nativeType, nullable: e.nullable, description: CASE WHEN e.inSchema THEN e.description END, editedDescription: CASE WHEN e.fieldPath IS NOT NULL THEN e.editedDescription END,
         exists: false, removed: false, _changedOn: e._changedOn, _writeToken: e._writeToken}
SET e += row.shown
WITH e, row.urn AS urn
OPTIONAL MATCH (e)<-[:COLUMN_OF]-(c:Entity)
REMOVE c.inSchema, c.dataType, c.nativeType, c.nullable, c.description, c.editedDescription
WITH DISTINCT e, c, urn
OPTIONAL MATCH (c)-[l:HAS_TAG|HAS_TERM]->()
WHERE l.owner = urn
DELETE l
WITH DISTINCT e, urn
OPTIONAL MATCH (e)-[r]->()
WHERE r.owner = urn
DELETE r
WITH DISTINCT e, urn
OPTIONAL MATCH (e)<-[m:FED_BY]-()
WHERE m.owner = urn
DELETE m
