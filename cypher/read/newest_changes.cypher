// Changes between two positions in every shard, the newest first, with the run of the version that
// became the latest, if the version is still stored. If a shard has more changes than $each, the
// page ends at the last change that was read of it, because the changes before it are not known.
// The plan is kept: the hints leave the database no choice, and without replan=skip it would plan
// again and again while it is filled. $after, $upTo: a number for each shard, $limit, $each: at
// most of a shard
CYPHER replan=skip
UNWIND range(0, size($upTo) - 1) AS shard
CALL (shard) {
  MATCH (c:Change {shard: shard})
  USING INDEX SEEK c:Change(shard, seq)
  WHERE $after[shard] < c.seq <= $upTo[shard]
  WITH c ORDER BY c.seq DESC LIMIT $each
  RETURN collect(c) AS found
}
WITH collect({found: found, rest: CASE WHEN size(found) = $each THEN found[-1].at ELSE -1 END}) AS pages
WITH pages, reduce(at = -1, page IN pages | CASE WHEN page.rest > at THEN page.rest ELSE at END) AS complete
UNWIND pages AS page
UNWIND page.found AS c
WITH c, complete WHERE c.at >= complete
WITH c ORDER BY c.at DESC, c.shard DESC, c.seq DESC LIMIT $limit
OPTIONAL MATCH (a:Aspect {urn: c.urn, name: c.aspect, version: nullIf(c.valueSeq, 0)}) USING INDEX SEEK a:Aspect(urn, name, version)
WHERE a.createdOn <= c.time
OPTIONAL MATCH (l:Aspect {urn: c.urn, name: c.aspect, version: 0}) USING INDEX SEEK l:Aspect(urn, name, version)
WHERE l.seq = c.valueSeq AND l.createdOn <= c.time
OPTIONAL MATCH (t:TimeSeries {urn: c.urn, aspect: c.aspect, key: c.timeSeriesKey}) USING INDEX SEEK t:TimeSeries(urn, aspect, key)
RETURN c {.shard, .seq, .time, .actor, .kind, .urn, .entityType, .aspect, .valueSeq, .previousSeq, .timeSeriesTime, .timeSeriesKey, .system} AS change,
  coalesce(a.runId, l.runId, t.runId, '') AS run
ORDER BY c.at DESC, c.shard DESC, c.seq DESC
