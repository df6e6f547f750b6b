// Changes after a position in every shard, without their values, the oldest
// first, in the order of read/changes.
// $after: a number for each shard, $limit, $each: at most of a shard
UNWIND range(0, size($after) - 1) AS shard
CALL (shard) {
  MATCH (c:Change {shard: shard})
  WHERE c.seq > $after[shard]
  RETURN c ORDER BY c.seq LIMIT $each
}
WITH c ORDER BY c.at, c.shard, c.seq LIMIT $limit
RETURN c {.shard, .seq, .token, .time, .actor, .kind, .urn, .entityType, .aspect, .valueSeq, .previousSeq, .timeSeriesTime, .timeSeriesKey} AS change
