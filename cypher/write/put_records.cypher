// Stores records of the server, whatever is stored under their names.
// $rows: [{name, value, revision}]
UNWIND $rows AS row
MERGE (r:ServerRecord {name: row.name})
SET r.value = row.value, r.revision = row.revision
