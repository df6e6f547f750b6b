// Forgets a follower of the change log.
// $name
MATCH (f:Follower {name: $name})
DELETE f
