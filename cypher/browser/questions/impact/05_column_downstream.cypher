// What depends on a column?
// Lists the columns that are computed from a column, directly or not, and the charts that show them.
// A column without lineage of its own is missing here, although its table depends on the column.
WITH 'urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.staging.stg_refunds,PROD),amount)' AS column
MATCH p = (:Entity {urn: column})<-[:DownstreamOf*0..]-(c:SchemaField)
WHERE all(n IN nodes(p) WHERE n:SchemaField)
WITH c, min(length(p)) AS hops
MATCH (c)-[:COLUMN_OF]->(t:Dataset)
RETURN hops, t.name AS table, c.fieldPath AS column,
  COLLECT { MATCH (chart:Chart)-[:consumesField]->(c) RETURN DISTINCT chart.name AS name ORDER BY name } AS charts
ORDER BY hops, table, column
