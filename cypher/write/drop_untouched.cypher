// Removes placeholders that no statement touches. A placeholder that people still see (a
// column of a schema, a column that somebody labelled or described, a node with columns or time
// series) is kept and only stops being a placeholder.
// $urns
UNWIND $urns AS urn
MATCH (e:Entity {urn: urn}) USING INDEX SEEK e:Entity(urn)
WHERE NOT coalesce(e.exists, false)
  AND COUNT { (e)--() } = COUNT { (e)-[:COLUMN_OF]-() } + COUNT { (e)-[:HAS_TIME_SERIES|HAS_RECORD]->() } + COUNT { (e)-[:HAS_TAG|HAS_TERM]->() }
WITH e, e.inSchema IS NOT NULL OR e.fieldPath IS NOT NULL AND e.editedDescription IS NOT NULL
  OR EXISTS { (e)<-[:COLUMN_OF]-() } OR EXISTS { (e)-[:HAS_TIME_SERIES|HAS_RECORD|HAS_TAG|HAS_TERM]->() } AS seen
FOREACH (kept IN CASE WHEN seen THEN [e] ELSE [] END |
  SET kept.removed = false
  REMOVE kept.entityType, kept.exists, kept._changedOn, kept._writeToken, kept._statedSources)
FOREACH (dropped IN CASE WHEN seen THEN [] ELSE [e] END | DETACH DELETE dropped)
