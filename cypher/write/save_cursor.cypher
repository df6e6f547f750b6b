// Keeps the position of a follower of the change log, and when.
// $name, $cursor
MERGE (f:Follower {name: $name})
SET f.cursor = $cursor, f.saved = timestamp()
