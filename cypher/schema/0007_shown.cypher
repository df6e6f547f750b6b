// Facts that people ask for most are no longer in JSON only. Every node has a mark, and the records
// of rollbacks are hidden from people among the time series. After this statement, the store goes
// through the latest values, for which it needs the model.
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
