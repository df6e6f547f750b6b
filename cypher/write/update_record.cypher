// Writes a record of the server if it still has a revision. It is locked before it is
// compared, and all its properties are read after the lock, because the database may read a
// single one before the lock. A repetition finds the revision that it wrote itself.
// $name, $value, $revision, $next
MATCH (r:ServerRecord {name: $name})
SET r._locked = $next
WITH r, properties(r) AS before
WHERE before.revision IN [$revision, $next]
SET r.value = $value, r.revision = $next
REMOVE r._locked
RETURN r.name AS name
