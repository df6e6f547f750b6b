// Where does personal data flow?
// Starts at every table that has a tag, or has a column with it, and lists the tables and dashboards downstream.
// Those that do not have the tag themselves are worth a look.
WITH 'urn:li:tag:PII' AS tag
MATCH (g:Entity {urn: tag})<-[:TaggedWith|SchemaFieldTaggedWith|EditableSchemaFieldTaggedWith]-(t:Dataset)
MATCH (t)<-[:DownstreamOf|Consumes|Contains|DerivedFrom|FED_BY*1..]-(e:Entity)
WITH DISTINCT g, t, e
WHERE e:Dataset OR e:Dashboard
WITH g, e, t ORDER BY t.urn
WITH g, e, collect(DISTINCT split(t.platform, ':')[3] + ' ' + t.name) AS origins
RETURN e.entityType AS type, e.name AS name, EXISTS { (e)-[:TaggedWith|SchemaFieldTaggedWith|EditableSchemaFieldTaggedWith]->(g) } AS tagged, origins, e.urn AS urn
ORDER BY tagged, type, name, urn
