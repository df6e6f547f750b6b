// Stores time-series values; the same key replaces.
// $rows: [{urn, aspect, key, label, properties}]
UNWIND $rows AS row
MATCH (e:Entity {urn: row.urn}) USING INDEX e:Entity(urn)
MERGE (t:TimeSeries {urn: row.urn, aspect: row.aspect, key: row.key})
SET t = row.properties, t:$(row.label)
MERGE (e)-[:HAS_TIME_SERIES]->(t)
