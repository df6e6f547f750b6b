// The number of the newest change of each shard.
MATCH (s:ChangeShard)
RETURN s.id AS shard, s.seq AS seq
