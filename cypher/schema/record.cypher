// Records that a migration was applied. Several servers may do so at once.
// $version
MERGE (s:HeadwaterSchema {id: 1})
SET s.version = CASE WHEN coalesce(s.version, 0) < $version THEN $version ELSE s.version END
