// Stores time-series values; the same key replaces. Values that the catalog keeps for itself hang
// on their entity by another relationship. $rows: [{urn, aspect, key, label, record, properties}]
UNWIND $rows AS row
MATCH (e:Entity {urn: row.urn}) USING INDEX SEEK e:Entity(urn)
MERGE (t:TimeSeries {urn: row.urn, aspect: row.aspect, key: row.key})
SET t = row.properties, t:$(row.label)
FOREACH (value IN CASE WHEN row.record THEN [] ELSE [t] END | MERGE (e)-[:HAS_TIME_SERIES]->(value))
FOREACH (record IN CASE WHEN row.record THEN [t] ELSE [] END | MERGE (e)-[:HAS_RECORD]->(record))
