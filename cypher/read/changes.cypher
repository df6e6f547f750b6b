// Changes after a position in every shard, with the values they refer to, the oldest first. A
// shard's clock never goes back, so its changes stay in order. The page ends behind the change
// whose values reach $bytes; only the changes of the page are read whole. The plan is kept: the
// hints leave the database no choice, and without replan=skip it would plan again and again while
// it is filled. $after: a number for each shard, $limit, $each: at most of a shard, $bytes
CYPHER replan=skip
UNWIND range(0, size($after) - 1) AS shard
CALL (shard) {
  MATCH (c:Change {shard: shard})
  USING INDEX SEEK c:Change(shard, seq)
  WHERE c.seq > $after[shard]
  RETURN c ORDER BY c.seq LIMIT $each
}
WITH c ORDER BY c.at, c.shard, c.seq LIMIT $limit
OPTIONAL MATCH (a:Aspect {urn: c.urn, name: c.aspect, version: nullIf(c.valueSeq, 0)}) USING INDEX SEEK a:Aspect(urn, name, version)
OPTIONAL MATCH (l:Aspect {urn: c.urn, name: c.aspect, version: 0}) USING INDEX SEEK l:Aspect(urn, name, version)
WHERE l.seq IN [c.valueSeq, c.previousSeq]
OPTIONAL MATCH (p:Aspect {urn: c.urn, name: c.aspect, version: nullIf(c.previousSeq, 0)}) USING INDEX SEEK p:Aspect(urn, name, version)
OPTIONAL MATCH (t:TimeSeries {urn: c.urn, aspect: c.aspect, key: c.timeSeriesKey}) USING INDEX SEEK t:TimeSeries(urn, aspect, key)
WITH c, a, l, p, t, coalesce(size(c.value), 0) + coalesce(size(c.previous), 0) + coalesce(size(a.value), 0)
  + coalesce(size(l.value), 0) + coalesce(size(p.value), 0) + coalesce(size(t.value), 0) AS bytes
ORDER BY c.at, c.shard, c.seq
WITH collect({c: c, a: a, l: l, p: p, t: t, bytes: bytes}) AS found
WITH found, reduce(page = {bytes: 0, rows: 0}, row IN found | CASE WHEN page.bytes >= $bytes THEN page
  ELSE {bytes: page.bytes + row.bytes, rows: page.rows + 1} END).rows AS rows
UNWIND found[..rows] AS row
RETURN properties(row.c) AS change, properties(row.a) AS archived, properties(row.l) AS latest,
  properties(row.p) AS previous, properties(row.t) AS value
