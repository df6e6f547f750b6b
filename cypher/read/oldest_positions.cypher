// The number and the identity of the oldest change of each shard whose beginning was deleted, or is just
// being deleted; 0 for the others.
// $shards: how many there are
CYPHER replan=skip
OPTIONAL MATCH (s:HeadwaterSchema {id: 1}) USING INDEX SEEK s:HeadwaterSchema(id)
UNWIND range(0, $shards - 1) AS shard
OPTIONAL MATCH (h:ChangeShard {id: shard}) USING INDEX SEEK h:ChangeShard(id)
CALL (shard, h) {
  OPTIONAL MATCH (c:Change {shard: shard}) USING INDEX SEEK c:Change(shard, seq) WHERE c.seq > coalesce(h.trimmed, 0)
  RETURN c ORDER BY c.shard, c.seq LIMIT 1
}
WITH shard, s, h.trimmed IS NOT NULL AS trimmed, c
RETURN shard, CASE WHEN trimmed THEN coalesce(c.seq, 0) ELSE 0 END AS seq,
  CASE WHEN trimmed THEN coalesce(c.token, s.identity, 0) ELSE coalesce(s.identity, 0) END AS token, trimmed
