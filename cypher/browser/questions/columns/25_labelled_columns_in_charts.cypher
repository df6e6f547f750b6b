// Which charts show columns with a tag?
// Starts at the columns with a tag and goes along the lineage of columns to the charts that show what is made from them.
// Put HAS_TERM instead of HAS_TAG for a glossary term.
WITH 'urn:li:tag:Finance' AS tag
MATCH (:Entity {urn: tag})<-[:HAS_TAG]-(c:SchemaField)-[:COLUMN_OF]->(t:Dataset)
MATCH (c)<-[:DownstreamOf*0..]-(:SchemaField)<-[:consumesField]-(chart:Chart)
WHERE chart.exists AND NOT chart.removed
RETURN DISTINCT t.platformId AS platform, t.qualifiedName AS table, c.name AS column, chart.name AS chart
ORDER BY platform, table, column, chart
