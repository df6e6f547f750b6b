// The number and the identity of the newest change of each shard. The statement reads the changes
// and not the counters, which are ahead if somebody deleted changes. The plan is kept: the hints
// leave the database no choice, and without replan=skip it would plan again and again while it is
// filled. $shards: the number of shards
CYPHER replan=skip
OPTIONAL MATCH (s:HeadwaterSchema {id: 1}) USING INDEX SEEK s:HeadwaterSchema(id)
UNWIND range(0, $shards - 1) AS shard
CALL (shard) {
  OPTIONAL MATCH (c:Change {shard: shard}) USING INDEX SEEK c:Change(shard, seq) WHERE c.seq > 0
  RETURN c ORDER BY c.shard DESC, c.seq DESC LIMIT 1
}
RETURN shard, coalesce(c.seq, 0) AS seq, coalesce(c.token, s.identity, 0) AS token
