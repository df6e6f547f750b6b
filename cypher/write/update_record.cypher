// Writes a record of the server if it still has a revision. It is locked before it is
// compared. A repetition finds the revision that it wrote itself.
// $name, $value, $revision, $next
MATCH (r:ServerRecord {name: $name})
SET r._locked = $next
WITH r WHERE r.revision IN [$revision, $next]
SET r.value = $value, r.revision = $next
REMOVE r._locked
RETURN r.name AS name
