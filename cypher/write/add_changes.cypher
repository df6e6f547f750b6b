// Appends to the change log. Each shard's counter is locked until the
// transaction ends, so that the numbers of a shard become visible in order, and
// the time it is put in order by never goes back, whatever the clock does. The
// changes bring their own times.
// $rows: [{id, changes: [properties without shard, seq and at]}] sorted by id, $now
UNWIND $rows AS shard
MATCH (s:ChangeShard {id: shard.id}) USING INDEX SEEK s:ChangeShard(id)
SET s.seq = s.seq + size(shard.changes), s.time = CASE WHEN s.time > $now THEN s.time ELSE $now END
WITH s, shard, s.seq - size(shard.changes) AS before
UNWIND range(1, size(shard.changes)) AS i
CREATE (c:Change)
SET c = shard.changes[i - 1], c.shard = shard.id, c.seq = before + i, c.at = s.time
