// Changes after a position in every shard, with the values they refer to, the
// oldest first. A shard's clock never goes back, so its changes stay in order.
// $after: a number for each shard, $limit
UNWIND range(0, size($after) - 1) AS shard
CALL (shard) {
  MATCH (c:Change {shard: shard})
  WHERE c.seq > $after[shard]
  RETURN c ORDER BY c.seq LIMIT $limit
}
WITH c ORDER BY c.at, c.shard, c.seq LIMIT $limit
OPTIONAL MATCH (a:Aspect {urn: c.urn, name: c.aspect, version: c.valueSeq})
OPTIONAL MATCH (l:Aspect {urn: c.urn, name: c.aspect, version: 0})
WHERE l.seq IN [c.valueSeq, c.previousSeq]
OPTIONAL MATCH (p:Aspect {urn: c.urn, name: c.aspect, version: c.previousSeq})
OPTIONAL MATCH (t:TimeSeries {urn: c.urn, aspect: c.aspect, key: c.timeSeriesKey})
RETURN properties(c) AS change, properties(a) AS archived, properties(l) AS latest, properties(p) AS previous, properties(t) AS value
ORDER BY c.at, c.shard, c.seq
