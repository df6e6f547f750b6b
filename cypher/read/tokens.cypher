// The identities of the changes that a position names, one for each shard; null
// where there is no such change. The log's identity stands for number 0.
// The plan is kept: the hints leave the database no choice, and without replan=skip the database
// would plan again and again while it is filled.
// $after: a number for each shard
CYPHER replan=skip
OPTIONAL MATCH (s:HeadwaterSchema {id: 1}) USING INDEX SEEK s:HeadwaterSchema(id)
UNWIND range(0, size($after) - 1) AS shard
OPTIONAL MATCH (c:Change {shard: shard, seq: $after[shard]}) USING INDEX SEEK c:Change(shard, seq)
RETURN shard, CASE
  WHEN c IS NULL AND $after[shard] > 0 THEN null
  ELSE coalesce(c.token, s.identity, 0)
END AS token, coalesce(s.identity, 0) AS identity, coalesce(s.trimmed, false) AS trimmed
