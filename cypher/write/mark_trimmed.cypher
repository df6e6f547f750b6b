// Notes that shards of the change log lose their beginning. It is noted before anything is deleted: the database shows parts
// of a transaction while it commits, so that a reader may find changes of which parts are deleted, and looks at the notes.
// $rows: [{shard, last}]
MATCH (s:HeadwaterSchema {id: 1}) USING INDEX SEEK s:HeadwaterSchema(id)
SET s.trimmed = true
WITH s
UNWIND $rows AS row
MATCH (h:ChangeShard {id: row.shard}) USING INDEX SEEK h:ChangeShard(id)
SET h.trimmed = row.last
