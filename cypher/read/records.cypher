// The records of the server whose names begin with a prefix, after a name.
// $prefix, $after, $limit
MATCH (r:ServerRecord)
WHERE r.name STARTS WITH $prefix AND r.name > $after
RETURN r.name AS name, r.value AS value, r.revision AS revision ORDER BY name LIMIT $limit
