// The identities of the changes that a position names, one for each shard; null
// where there is no such change. The log's identity stands for number 0.
// $after: a number for each shard
OPTIONAL MATCH (s:HeadwaterSchema {id: 1})
UNWIND range(0, size($after) - 1) AS shard
OPTIONAL MATCH (c:Change {shard: shard, seq: $after[shard]})
RETURN shard, CASE
  WHEN c IS NULL AND $after[shard] > 0 THEN null
  ELSE coalesce(c.token, s.identity, 0)
END AS token, coalesce(s.identity, 0) AS identity
