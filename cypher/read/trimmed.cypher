// The shards of which changes after a position are deleted, or are just being deleted.
// $after: a number for each shard
CYPHER replan=skip
UNWIND range(0, size($after) - 1) AS shard
MATCH (h:ChangeShard {id: shard}) USING INDEX SEEK h:ChangeShard(id)
WHERE h.trimmed > $after[shard]
RETURN shard
