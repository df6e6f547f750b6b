// Who owns most?
// Counts what people and groups own, by type.
// A person with very much is a risk when they leave.
MATCH (o:Entity)<-[:OwnedBy]-(e:Entity)
WHERE e.exists AND NOT e.removed
WITH o, e.entityType AS type, count(DISTINCT e) AS number
ORDER BY number DESC, type
RETURN o.name AS owner, o.entityType AS kind, sum(number) AS assets, collect(type + ': ' + number) AS types
ORDER BY assets DESC, owner
LIMIT 20
