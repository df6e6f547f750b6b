// Which columns feed a dashboard?
// Draws the way from a dashboard through its charts and the columns that they show back to the columns at the source.
// Where the drawing ends, nobody has stated lineage of columns.
WITH 'urn:li:dashboard:(looker,close)' AS dashboard
MATCH p = (:Entity {urn: dashboard})-[:Contains]->(:Chart)-[:consumesField]->(:SchemaField)-[:DownstreamOf*0..]->(:SchemaField)
RETURN p
LIMIT 500
