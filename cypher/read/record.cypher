// A record of the server.
// $name
MATCH (r:ServerRecord {name: $name})
RETURN r.name AS name, r.value AS value, r.revision AS revision
