package main

import (
	"strings"
	"testing"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// TestGetTellsQuality: the page of a table says whether the table is fresh and names the
// tests that fail. The page of a test names its subject and its last result.
func TestGetTellsQuality(t *testing.T) {
	server := newServer(t, nil)
	column := strings.ReplaceAll(`urn:li:schemaField:(TABLE,customer_id)`, "TABLE", tableA)
	info := `{"type":"DATASET","customProperties":{"dbt_unique_id":"test.shop.x"},"datasetAssertion":{"dataset":"` + tableA + `","scope":"DATASET_COLUMN","operator":"NOT_NULL","nativeType":"not_null_a_customer_id","fields":["` + column + `"]}}`
	event := `{"timestampMillis":2000,"status":"COMPLETE","runId":"r","assertionUrn":"urn:li:assertion:358c683782c93c2f","asserteeUrn":"` + tableA + `","result":{"type":"FAILURE","unexpectedCount":3}}`
	operation := `{"timestampMillis":1000,"lastUpdatedTimestamp":1000,"operationType":"INSERT","numAffectedRows":150}`
	records := ""
	for _, r := range [][4]string{
		{"dataset", tableA, "operation", operation},
		{"assertion", "urn:li:assertion:358c683782c93c2f", "assertionInfo", info},
		{"assertion", "urn:li:assertion:358c683782c93c2f", "assertionRunEvent", event},
		{"dataset", tableA, "status", `{"removed":false}`},
	} {
		records += `{"entityType":"` + r[0] + `","entityUrn":"` + r[1] + `","changeType":"UPSERT","aspectName":"` + r[2] + `","aspect":{"json":` + r[3] + "}}\n"
	}
	if code, out, stderr := headwater(t, records, "ingest", "-", "--server", server); code != cli.ExitOK {
		t.Fatal(out, stderr)
	}
	for name, wanted := range map[string][]string{
		tableA:                              {"Updated", "1970-01-01T00:00:01Z", "insert of 150 rows", "Checks", "1 failed", "failed  not_null a.customer_id", "assertion:358c683782c93c2f"},
		"urn:li:assertion:358c683782c93c2f": {"not_null a.customer_id\n", "About", "a (dataset hive a)", "Last result", "failed 1970-01-01T00:00:02Z", "unexpectedCount=3"},
	} {
		code, out, stderr := headwater(t, "", "get", name, "--server", server)
		for _, want := range wanted {
			if code != cli.ExitOK || !strings.Contains(out, want) {
				t.Errorf("get %s lacks %q:\n%s%s", name, want, out, stderr)
			}
		}
	}
	code, out, stderr := headwater(t, "", "get", tableA, "--aspect", "operation", "--server", server)
	if code != cli.ExitOK || !strings.Contains(out, "newest value") || !strings.Contains(out, "INSERT") {
		t.Error("a time series that is there:", code, out, stderr)
	}
}
