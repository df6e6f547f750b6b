// Makes a record of the server if there is none. A repetition of the statement that finds the
// record with its own revision counts as having made the record.
// $name, $value, $next
MERGE (r:ServerRecord {name: $name})
ON CREATE SET r.value = $value, r.revision = $next
WITH r WHERE r.revision = $next
RETURN r.name AS name
