// The followers of the change log whose names begin with a prefix.
// $prefix
MATCH (f:Follower)
WHERE f.name STARTS WITH $prefix
RETURN f.name AS name, f.cursor AS cursor, coalesce(f.saved, 0) AS saved ORDER BY name
