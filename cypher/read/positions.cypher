// The number and the identity of the newest change of each shard. The changes
// say so, not the counters: those may be ahead where somebody deleted changes.
// $shards: how many there are
OPTIONAL MATCH (s:HeadwaterSchema {id: 1})
UNWIND range(0, $shards - 1) AS shard
CALL (shard) {
  OPTIONAL MATCH (c:Change {shard: shard}) WHERE c.seq > 0
  RETURN c ORDER BY c.shard DESC, c.seq DESC LIMIT 1
}
RETURN shard, coalesce(c.seq, 0) AS seq, coalesce(c.token, s.identity, 0) AS token
