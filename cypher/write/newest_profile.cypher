// Gives datasets the numbers of their newest profile that has any.
// $rows: [{urn, aspect}]
UNWIND $rows AS row
MATCH (e:Entity {urn: row.urn}) USING INDEX SEEK e:Entity(urn)
CALL (row) {
  OPTIONAL MATCH (t:TimeSeries {urn: row.urn, aspect: row.aspect})
  USING INDEX SEEK t:TimeSeries(urn, aspect, timestamp)
  WHERE t.timestamp IS NOT NULL AND (t.rowCount IS NOT NULL OR t.columnCount IS NOT NULL OR t.sizeInBytes IS NOT NULL)
  RETURN t ORDER BY t.timestamp DESC, t.key LIMIT 1
}
SET e.rowCount = t.rowCount, e.columnCount = t.columnCount, e.sizeInBytes = t.sizeInBytes, e.profiledOn = t.timestamp
