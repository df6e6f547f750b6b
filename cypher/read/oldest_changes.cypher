// The number up to which each shard of the change log can be deleted, where there is one:
// up to the first change that must stay.
// $ends: for each shard, the number that stays because of a follower, $keep: how many of a shard
// stay, $before: a time, $each: how many of a shard are looked at
CYPHER replan=skip
UNWIND range(0, size($ends) - 1) AS shard
CALL (shard) {
  MATCH (c:Change {shard: shard}) USING INDEX SEEK c:Change(shard, seq) WHERE c.seq > 0
  RETURN c.seq AS newest ORDER BY c.shard DESC, c.seq DESC LIMIT 1
}
WITH shard, newest, CASE WHEN $keep > 0 AND newest - $keep + 1 < newest THEN newest - $keep + 1 ELSE newest END AS kept
WITH shard, CASE WHEN $ends[shard] < kept THEN $ends[shard] ELSE kept END AS end
CALL (shard, end) {
  MATCH (c:Change {shard: shard}) USING INDEX SEEK c:Change(shard, seq) WHERE c.seq < end
  WITH c ORDER BY c.seq LIMIT $each
  WITH collect(c) AS changes
  WITH changes, [c IN changes WHERE c.time >= $before | c.seq] AS young
  WITH CASE WHEN size(young) = 0 THEN changes[-1].seq ELSE young[0] - 1 END AS last, changes
  WHERE size(changes) > 0 AND last >= changes[0].seq
  RETURN last
}
RETURN shard, last
