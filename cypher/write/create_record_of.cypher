// Makes a record of the server if there is none and fewer than a number of others begin with
// a prefix. The node of the schema is locked first, so that of those who count one counts at a
// time. A repetition that finds its own record has made it too.
// $prefix, $name, $value, $next, $most
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
