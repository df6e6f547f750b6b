// Deletes the beginning of shards of the change log, which write/mark_trimmed has noted.
// $rows: [{shard, last}]
UNWIND $rows AS row
MATCH (c:Change {shard: row.shard}) USING INDEX SEEK c:Change(shard, seq) WHERE c.seq > 0 AND c.seq <= row.last
DELETE c
RETURN count(*) AS deleted
