package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// TestGetShowsLabels: the page of an entity ends with a table of who or what stated its
// tags, terms and owners. The table is missing if there are no labels, and in the output of
// single aspects.
func TestGetShowsLabels(t *testing.T) {
	server := newServer(t, nil)
	records := `{"entityType":"dataset","entityUrn":"` + tableA + `","changeType":"UPSERT","aspectName":"globalTags","systemMetadata":{"runId":"nightly"},"aspect":{"json":{"tags":[
{"tag":"urn:li:tag:said","attribution":{"time":1000,"actor":"urn:li:corpuser:bot","source":"urn:li:dataHubAction:x"}}]}}}
{"entityType":"dataset","entityUrn":"` + tableA + `","changeType":"UPSERT","aspectName":"ownership","aspect":{"json":{"owners":[{"owner":"urn:li:corpuser:ada","type":"DATAOWNER"}]}}}
{"entityType":"dataset","entityUrn":"` + tableC + `","changeType":"UPSERT","aspectName":"status","aspect":{"json":{"removed":false}}}`
	if code, _, stderr := headwater(t, strings.ReplaceAll(records, "[\n", "["), "ingest", "-", "--server", server); code != cli.ExitOK {
		t.Fatal(stderr)
	}
	code, out, stderr := headwater(t, "", "get", tableA, "--stated", "--server", server)
	page, table, found := strings.Cut(out, "\n\nLABEL ")
	if code != cli.ExitOK || !found || !strings.Contains(page, "Tags        said") {
		t.Fatalf("exit %d, %s%s", code, out, stderr)
	}
	want := []string{
		`\s+URN\s+STATED BY\s+SINCE\s+RUN\s+SOURCE`,
		`tag\s+urn:li:tag:said\s+urn:li:corpuser:bot\s+1970-01-01T00:00:01Z\s+nightly\s+urn:li:dataHubAction:x`,
		`owner\s+urn:li:corpuser:ada\s+urn:li:corpuser:__datahub_system\s+20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ\s+headwater-\S+\s*`,
	}
	lines := strings.Split(strings.TrimRight(table, "\n"), "\n")
	if len(lines) != len(want) {
		t.Fatalf("the table is\n%s", table)
	}
	for i, pattern := range want {
		if !regexp.MustCompile("^" + pattern + "$").MatchString(lines[i]) {
			t.Errorf("line %d is %q, want %s", i, lines[i], pattern)
		}
	}
	if _, out, _ := headwater(t, "", "get", tableA, "-o", "json", "--server", server); !strings.Contains(out, `"labels"`) || !strings.Contains(out, `"source": "urn:li:dataHubAction:x"`) {
		t.Errorf("as JSON: %s", out)
	}
	for _, args := range [][]string{{"get", tableC}, {"get", tableA, "--aspect", "ownership"}} {
		if code, out, _ := headwater(t, "", append(args, "--server", server)...); code != cli.ExitOK || strings.Contains(out, "LABEL") {
			t.Errorf("%v: exit %d, %s", args, code, out)
		}
	}
}
