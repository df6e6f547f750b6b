package e2e

import "testing"

// checkGraphForPeople checks the sample's graph for the properties that docs/graph-model.md
// promises for every node.
func checkGraphForPeople(t *testing.T, uri string) {
	t.Helper()
	for what, statement := range map[string]string{
		"entities without a name":              "MATCH (e:Entity) WHERE coalesce(e.name, '') = '' RETURN e.urn AS urn",
		"columns that do not hang on one node": "MATCH (c:SchemaField) WHERE COUNT { (c)-[:COLUMN_OF]->() } <> 1 RETURN c.urn AS urn",
		"columns without a path":               "MATCH (c:SchemaField) WHERE c.fieldPath IS NULL RETURN c.urn AS urn",
		"schemas without columns":              "MATCH (d:Dataset)-[:HAS_ASPECT]->(:SchemaMetadata {version: 0}) WHERE NOT (d)<-[:COLUMN_OF]-(:SchemaField {inSchema: true}) RETURN d.urn AS urn",
		"values that do not hang on an entity": "MATCH (t:TimeSeries) WHERE COUNT { (t)<-[:HAS_TIME_SERIES|HAS_RECORD]-() } <> 1 RETURN t.urn AS urn",
		"properties that the page does not explain": "MATCH (e:Entity) UNWIND keys(e) AS key WITH DISTINCT key WHERE key STARTS WITH '_' " +
			"AND NOT key IN ['_changedOn', '_writeToken', '_statedSources'] OR key IN ['changedOn', 'writeToken', 'statedSources', 'locked'] RETURN key",
	} {
		if rows := cypher(t, uri, statement); len(rows) > 0 {
			t.Errorf("%s: %v", what, rows[:min(len(rows), 5)])
		}
	}
	for what, statement := range map[string]string{
		"columns":                      "MATCH (c:SchemaField {inSchema: true})-[:COLUMN_OF]->(:Dataset) RETURN c.urn AS urn",
		"columns that only people see": "MATCH (c:SchemaField {inSchema: true}) WHERE c.exists IS NULL RETURN c.urn AS urn",
		"values of time series":        "MATCH (:Dataset)-[:HAS_TIME_SERIES]->(t:DatasetProfile) RETURN t.key AS key",
	} {
		if rows := cypher(t, uri, statement); len(rows) < 20 {
			t.Errorf("%d %s", len(rows), what)
		}
	}
}
