// Removes nodes that a transaction made in order to lock them, and then did
// not write. The statement of groups (write/group) repeats the condition on purpose: it is
// one statement, and cannot call this one.
// $rows: [urn]
UNWIND $rows AS urn
MATCH (e:Entity {urn: urn}) USING INDEX SEEK e:Entity(urn)
WHERE e.entityType IS NULL AND NOT (e)--()
DELETE e
