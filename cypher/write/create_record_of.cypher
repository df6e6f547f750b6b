// Makes a record of the server, unless it exists or $most names of records begin with $prefix. The
// node of the schema is locked first, so that only one server counts at a time. If a repetition
// finds the record that it made itself, it counts as made. $prefix, $name, $value, $next, $most
MERGE (lock:HeadwaterSchema {id: 1})
SET lock._locked = $next
WITH lock
OPTIONAL MATCH (other:ServerRecord)
WHERE other.name STARTS WITH $prefix AND other.name <> $name
WITH lock, count(other) AS others
OPTIONAL MATCH (own:ServerRecord {name: $name})
WITH lock, others, own.revision AS revision
FOREACH (_ IN CASE WHEN revision IS NULL AND others < $most THEN [1] ELSE [] END |
  CREATE (:ServerRecord {name: $name, value: $value, revision: $next})
)
REMOVE lock._locked
RETURN CASE
  WHEN revision IS NOT NULL AND revision <> $next THEN 'there'
  WHEN revision IS NULL AND others >= $most THEN 'full'
  ELSE 'made'
END AS outcome
