// The number of the last migration that this database has had, 0 for none.
OPTIONAL MATCH (s:HeadwaterSchema {id: 1})
RETURN coalesce(s.version, 0) AS version
