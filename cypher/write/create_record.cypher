// Makes a record of the server if there is none. A repetition that finds its own one has
// made it too.
// $name, $value, $next
MERGE (r:ServerRecord {name: $name})
ON CREATE SET r.value = $value, r.revision = $next
WITH r WHERE r.revision = $next
RETURN r.name AS name
