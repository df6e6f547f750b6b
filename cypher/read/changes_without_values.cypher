// Changes after a position in every shard, without their values, the oldest
// first, in the order of read/changes.
// The plan is kept: the hints leave the database no choice, and without replan=skip the database
// would plan again and again while it is filled.
// $after: a number for each shard, $limit, $each: at most of a shard
CYPHER replan=skip
UNWIND range(0, size($after) - 1) AS shard
CALL (shard) {
  MATCH (c:Change {shard: shard})
  USING INDEX SEEK c:Change(shard, seq)
  WHERE c.seq > $after[shard]
  RETURN c ORDER BY c.seq LIMIT $each
}
WITH c ORDER BY c.at, c.shard, c.seq LIMIT $limit
RETURN c {.shard, .seq, .token, .time, .actor, .kind, .urn, .entityType, .aspect, .valueSeq, .previousSeq, .timeSeriesTime, .timeSeriesKey} AS change
