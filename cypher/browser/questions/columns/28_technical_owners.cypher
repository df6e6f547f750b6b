// Who owns what as a technical owner?
// Counts the tables that each person or group owns in that role, with some of them.
// Other roles are BUSINESS_OWNER, DATA_STEWARD, or the name of an ownership type of your own.
WITH 'TECHNICAL_OWNER' AS role
MATCH (t:Dataset)-[r:OwnedBy]->(o:Entity)
WHERE role IN r.types AND t.exists AND NOT t.removed
WITH DISTINCT o, t ORDER BY t.qualifiedName, t.platformId
RETURN o.name AS owner, count(t) AS tables, collect(t.qualifiedName)[..5] AS examples
ORDER BY tables DESC, owner
