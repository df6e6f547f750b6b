// The latest of the times of the newest change of each shard.
MATCH (s:ChangeShard)
MATCH (c:Change {shard: s.id, seq: s.seq})
RETURN max(c.time) AS time
