// Deletes a record of the server if it still has a revision. It is locked before it is
// compared.
// $name, $revision
MATCH (r:ServerRecord {name: $name})
SET r._locked = true
WITH r, properties(r) AS before
WHERE before.revision = $revision
DELETE r
RETURN true AS done
