// Where is it, and what is its URN?
// Finds entities by a part of their name.
// Most other questions take a URN: copy it from here.
WITH 'orders' AS word
MATCH (e:Entity)
WHERE toLower(e.name) CONTAINS toLower(word) AND NOT e:SchemaField AND e.exists AND NOT e.removed
RETURN e.entityType AS type, e.name AS name, e.urn AS urn
ORDER BY type, name, urn
LIMIT 50
