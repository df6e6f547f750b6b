// Keeps the position of a follower of the change log.
// $name, $cursor
MERGE (f:Follower {name: $name})
SET f.cursor = $cursor
