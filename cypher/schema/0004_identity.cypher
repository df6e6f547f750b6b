// The log's own identity, a random number. It stands for that of changes from
// before they had one of their own, and for the beginning of the log.
MERGE (s:HeadwaterSchema {id: 1})
SET s.identity = coalesce(s.identity, toInteger(rand() * 9.0e15))
