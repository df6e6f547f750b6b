// Which tables have most rows?
// Takes the numbers of the newest profile of each table, which are on the table itself.
// Tables that were never profiled are not listed; profiles of single partitions do not count.
MATCH (t:Dataset)
WHERE t.rowCount IS NOT NULL AND NOT t.removed
RETURN t.platformId AS platform, t.qualifiedName AS table, t.rowCount AS rows, t.columnCount AS columns, toString(datetime({epochMillis: t.profiledOn})) AS profiled
ORDER BY rows DESC, platform, table
LIMIT 25
