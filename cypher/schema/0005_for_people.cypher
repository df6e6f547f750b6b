// Prepares the graph for people who read it directly. The store's own properties begin with an
// underscore, and the values of time series hang on their entity. After this statement, the store
// names the nodes and makes the nodes of columns, for which it needs the model.
MATCH (e:Entity)
CALL (e) {
  SET e._changedOn = coalesce(e._changedOn, e.changedOn), e._writeToken = coalesce(e._writeToken, e.writeToken),
      e._statedSources = coalesce(e._statedSources, e.statedSources)
  REMOVE e.changedOn, e.writeToken, e.statedSources, e.locked
} IN TRANSACTIONS OF 2000 ROWS;
MATCH (t:TimeSeries)
CALL (t) {
  MATCH (e:Entity {urn: t.urn})
  MERGE (e)-[:HAS_TIME_SERIES]->(t)
} IN TRANSACTIONS OF 2000 ROWS
