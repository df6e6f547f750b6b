// The records of the server that exist of some names.
// $names
UNWIND $names AS name
MATCH (r:ServerRecord {name: name})
RETURN r.name AS name, r.value AS value, r.revision AS revision
