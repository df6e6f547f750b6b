// The position of a follower of the change log.
// $name
MATCH (f:Follower {name: $name})
RETURN f.cursor AS cursor
