package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testservers"
)

// TestDocumentedCypher runs every query of docs/graph-model.md on the sample catalog; each
// must find something. It also looks for what that page promises of every node.
func TestDocumentedCypher(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testservers.Root(), "docs", "graph-model.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(text), "```cypher\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("the page shows no query")
	}
	flags := backends()[1].flags(t)
	s := start(t, append(flags, "--sample")...)
	uri := flags[1]
	for _, rest := range blocks {
		statements, _, _ := strings.Cut(rest, "```")
		for statement := range strings.SplitSeq(statements, ";") {
			if statement = strings.TrimSpace(statement); statement == "" {
				continue
			}
			if rows := cypher(t, uri, statement); len(rows) == 0 {
				t.Errorf("nothing is found by\n%s", statement)
			}
		}
	}
	for what, statement := range map[string]string{
		"entities without a name":              "MATCH (e:Entity) WHERE coalesce(e.name, '') = '' RETURN e.urn AS urn",
		"columns that do not hang on one node": "MATCH (c:SchemaField) WHERE COUNT { (c)-[:COLUMN_OF]->() } <> 1 RETURN c.urn AS urn",
		"columns without a path":               "MATCH (c:SchemaField) WHERE c.fieldPath IS NULL RETURN c.urn AS urn",
		"schemas without columns":              "MATCH (d:Dataset)-[:HAS_ASPECT]->(:SchemaMetadata {version: 0}) WHERE NOT (d)<-[:COLUMN_OF]-(:SchemaField {inSchema: true}) RETURN d.urn AS urn",
		"values that do not hang on an entity": "MATCH (t:TimeSeries) WHERE COUNT { (t)<-[:HAS_TIME_SERIES]-() } <> 1 RETURN t.urn AS urn",
		"properties that the page does not explain": "MATCH (e:Entity) UNWIND keys(e) AS key WITH DISTINCT key WHERE key STARTS WITH '_' " +
			"AND NOT key IN ['_changedOn', '_writeToken', '_statedSources'] OR key IN ['changedOn', 'writeToken', 'statedSources', 'locked'] RETURN key",
	} {
		if rows := cypher(t, uri, statement); len(rows) > 0 {
			t.Errorf("%s: %v", what, rows[:min(len(rows), 5)])
		}
	}
	s.stop()
}
