package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// chain is the lineage of three tables in a row. A job reads the first and writes the
// third. The platform of the tables is known, that of the job is not.
const chain = `{"entityType":"dataPlatform","entityUrn":"urn:li:dataPlatform:hive","changeType":"UPSERT","aspectName":"dataPlatformInfo","aspect":{"json":{"name":"hive","type":"OTHERS","datasetNameDelimiter":"."}}}
{"entityType":"dataset","entityUrn":"urn:li:dataset:(urn:li:dataPlatform:hive,a,PROD)","changeType":"UPSERT","aspectName":"ownership","aspect":{"json":{"owners":[{"owner":"urn:li:corpuser:ada","type":"DATAOWNER"}]}}}
{"entityType":"dataset","entityUrn":"urn:li:dataset:(urn:li:dataPlatform:hive,b,PROD)","changeType":"UPSERT","aspectName":"upstreamLineage","aspect":{"json":{"upstreams":[{"dataset":"urn:li:dataset:(urn:li:dataPlatform:hive,a,PROD)","type":"COPY"}]}}}
{"entityType":"dataset","entityUrn":"urn:li:dataset:(urn:li:dataPlatform:hive,c,PROD)","changeType":"UPSERT","aspectName":"upstreamLineage","aspect":{"json":{"upstreams":[{"dataset":"urn:li:dataset:(urn:li:dataPlatform:hive,b,PROD)","type":"COPY"}]}}}
{"entityType":"dataset","entityUrn":"urn:li:dataset:(urn:li:dataPlatform:hive,c,PROD)","changeType":"UPSERT","aspectName":"datasetProperties","aspect":{"json":{"name":"the c"}}}
{"entityType":"dataJob","entityUrn":"urn:li:dataJob:(urn:li:dataFlow:(airflow,f,PROD),copy)","changeType":"UPSERT","aspectName":"dataJobInputOutput","aspect":{"json":{"inputDatasets":["urn:li:dataset:(urn:li:dataPlatform:hive,a,PROD)"],"outputDatasets":["urn:li:dataset:(urn:li:dataPlatform:hive,c,PROD)"]}}}
`

// chainServer serves the chain.
func chainServer(t *testing.T) string {
	t.Helper()
	server := newServer(t, nil)
	file := filepath.Join(t.TempDir(), "chain.jsonl")
	if err := os.WriteFile(file, []byte(chain), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := headwater(t, "", "ingest", file, "--server", server); code != cli.ExitOK {
		t.Fatal(stderr)
	}
	return server
}

const tableA, tableC = "urn:li:dataset:(urn:li:dataPlatform:hive,a,PROD)", "urn:li:dataset:(urn:li:dataPlatform:hive,c,PROD)"

// TestWrongNames: a name that does not exist is an error with the most similar name, not an
// empty answer.
func TestWrongNames(t *testing.T) {
	server := chainServer(t)
	for _, c := range []struct {
		args string
		want string
	}{
		{"lineage " + tableC + " --platform hiv", `there is no platform "hiv" (did you mean hive?)`},
		{"impact " + tableA + " --platform urn:li:dataPlatform:hivee", `(did you mean hive?)`},
		{"impact " + tableA + " --owner adda", `there is no owner "adda" (did you mean ada?)`},
		{"impact " + tableA + " --tag nosuch", `there is no tag "nosuch"`},
		{"get " + tableA + " --aspect ownershp", `has no aspect "ownershp" (did you mean ownership?)`},
		{"get " + tableA + " --aspect ownership,status", `has no aspect "status"`},
		{"delete urn:li:tag:nosuch", "nothing is stored of urn:li:tag:nosuch"},
		{"delete urn:li:tag:nosuch --hard --yes", "nothing is stored of urn:li:tag:nosuch"},
	} {
		code, stdout, stderr := headwater(t, "", append(strings.Fields(c.args), "--server", server)...)
		if code != cli.ExitNotFound || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %q\nwanted %q", c.args, code, stdout+stderr, c.want)
		}
	}
}

// TestRightNames: a filter with an existing name that selects nothing is not an error.
func TestRightNames(t *testing.T) {
	server := chainServer(t)
	for _, args := range []string{
		"lineage " + tableC + " --owner ada --hops 1",
		"impact " + tableC + " --platform hive",
		"impact " + tableA + " --type dataset --platform airflow",
		"delete " + tableC,
		"delete " + tableC, // the table is already hidden
		"delete --hard --yes " + tableC,
	} {
		if code, _, stderr := headwater(t, "", append(strings.Fields(args), "--server", server)...); code != cli.ExitOK {
			t.Errorf("%s: exit %d, %s", args, code, stderr)
		}
	}
	if code, stdout, stderr := headwater(t, "", "delete", "--hard", "--yes", tableA, tableC, "--server", server); code != cli.ExitNotFound || !strings.Contains(stdout, "1 entity deleted") || !strings.Contains(stderr, tableC) {
		t.Errorf("one of two: exit %d, %s%s", code, stdout, stderr)
	}
}

// TestPastBeforeTheFirstWrite: if the answer is empty because the moment is before the
// first write, the output says so.
func TestPastBeforeTheFirstWrite(t *testing.T) {
	server := chainServer(t)
	for _, args := range []string{"lineage " + tableC + " --as-of 2001-01-01", "impact " + tableA + " --as-of 2001-01-01", "lineage " + tableC + " --diff 2001-01-01"} {
		if code, _, stderr := headwater(t, "", append(strings.Fields(args), "--server", server)...); code != cli.ExitOK || !strings.Contains(stderr, "nothing was written about urn:li:dataset:") {
			t.Errorf("%s: exit %d, %q", args, code, stderr)
		}
	}
	if _, _, stderr := headwater(t, "", "lineage", tableC, "--server", server); stderr != "" {
		t.Errorf("now: %q", stderr)
	}
}

// TestDrawings: arrows point to branches drawn elsewhere, edges have words in the direction
// of the flow of data, and the start has its name.
func TestDrawings(t *testing.T) {
	server := chainServer(t)
	for format, want := range map[string][]string{
		"tree":    {"the c  " + tableC, "copy  urn:li:dataJob:(urn:li:dataFlow:(airflow,f,PROD),copy)\n│  └─ a  " + tableA + "\n", "└─ a  " + tableA + "  ↑"},
		"mermaid": {`n0["the c (dataset)"]`, "-->|feeds| n0", "-->|is read by|", "-->|writes| n0"},
		"dot":     {`[label="the c (dataset)", style=bold]`, `[label="feeds"]`},
	} {
		code, stdout, stderr := headwater(t, "", "lineage", tableC, "--format", format, "--urns", "--server", server)
		for _, part := range want {
			if code != cli.ExitOK || !strings.Contains(stdout, part) {
				t.Errorf("%s: exit %d, no %q in\n%s%s", format, code, part, stdout, stderr)
			}
		}
	}
}
