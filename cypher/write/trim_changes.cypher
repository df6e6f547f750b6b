// Deletes the beginning of shards of the change log, and notes that they have lost it.
// $rows: [{shard, last}]
MATCH (s:HeadwaterSchema {id: 1})
SET s.trimmed = true
WITH s
UNWIND $rows AS row
MATCH (h:ChangeShard {id: row.shard})
SET h.trimmed = row.last
WITH row
MATCH (c:Change {shard: row.shard}) WHERE c.seq > 0 AND c.seq <= row.last
DELETE c
RETURN count(*) AS deleted
