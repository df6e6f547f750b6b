// What lies around a table?
// Draws a table with its owners, tags, terms, domain and container, and with what it is made from and what is made from it.
// Double-click a node to go on from there.
WITH 'urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.orders,PROD)' AS table
MATCH p = (:Entity {urn: table})-[:OwnedBy|TaggedWith|TermedWith|AssociatedWith|IsPartOf|DownstreamOf|Consumes|FED_BY]-(e:Entity)
WHERE NOT e:SchemaField
RETURN p
LIMIT 100
