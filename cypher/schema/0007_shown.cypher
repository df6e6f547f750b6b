// What people ask most is no longer in JSON only. A mark is on every node, and what
// rollbacks leave behind is no time series to people. After this, the store itself goes
// through the latest values, which need the model.
MATCH (e:Entity)
WHERE e.removed IS NULL
CALL (e) {
  SET e.removed = false
} IN TRANSACTIONS OF 2000 ROWS;
MATCH (e:Entity)-[r:HAS_TIME_SERIES]->(t:TimeSeries)
WHERE t.aspect IN ['takenBack', 'rollbacks']
CALL (e, r, t) {
  MERGE (e)-[:HAS_RECORD]->(t)
  DELETE r
} IN TRANSACTIONS OF 2000 ROWS
