package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// TestCompletionFromServer: the shell completes arguments and flags with names from the
// server.
func TestCompletionFromServer(t *testing.T) {
	server := sampleServer(t)
	t.Setenv("HEADWATER_SERVER", server)
	for _, c := range []struct {
		line string
		// offered has the beginnings of the expected lines, directive is cobra's number at
		// the end. only: there are no other lines.
		offered   string
		directive string
		only      bool
	}{
		{"lineage marts.ord", "marts.orders", ":4", true},
		{"lineage snowf", "snowflake:", ":6", false},
		{"lineage urn:li:data", "urn:li:dataset: urn:li:dataJob:", ":6", false},
		{"lineage urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.ord", martOrders, ":4", true},
		{"lineage marts.orders.net", "marts.orders.net_revenue", ":4", true},
		{"lineage marts.orders ", "", ":4", true},
		{"get marts.orders --aspect schema", "schemaMetadata", ":4", true},
		{"get marts.orders --aspect ownership,schema", "ownership,schemaMetadata", ":4", true},
		{"get --aspect ownersh", "ownership ownershipTypeInfo", ":4", false},
		{"impact orders --column net", "net_revenue", ":4", true},
		{"impact --platform snow", "snowflake", ":4", true},
		{"impact --owner ada", "ada.wren", ":4", true},
		{"lineage --tag P", "PII", ":4", true},
		{"lineage --type data", "dataset dataJob", ":4", false},
		{"lineage --format mer", "mermaid", ":4", false},
		{"lineage --removed s", "show stop", ":4", false},
		{"timeline marts.orders --category tag,owner", "tag,owner", ":4", true},
		{"delete tag:P", "tag:PII", ":4", true},
		{"delete tag:PII tag:Cert", "tag:Certified", ":4", true},
		{"delete x --aspect datasetPro", "datasetProfile", ":4", true},
		{"search --filter plat", "platform=", ":6", true},
		{"search --filter platform=snow", "platform=snowflake", ":4", true},
		{"runs show larkspur-cur", "larkspur-curation", ":36", true},
		{"runs rollback larkspur-cur", "larkspur-curation", ":36", true},
		{"lineage orders --server 127.0.0.1:1 --tag P", "", ":4", true},
		{"get --server 127.0.0.1:1 ord", "", ":4", true},
		{"get --server ftp://x ord", "", ":4", true},
		{"ingest ", "dbt openlineage source", ":0", true},
	} {
		args := append([]string{"__complete"}, strings.Split(c.line, " ")...)
		code, stdout, _ := headwater(t, "", args...)
		lines := strings.Split(strings.TrimRight(stdout, "\n"), "\n")
		directive := lines[len(lines)-1]
		lines = lines[:len(lines)-1]
		for _, want := range strings.Fields(c.offered) {
			if !slices.ContainsFunc(lines, func(line string) bool { text, _, _ := strings.Cut(line, "\t"); return text == want }) {
				t.Errorf("%q: %q is missing in %q", c.line, want, lines)
			}
		}
		if code != cli.ExitOK || directive != c.directive || c.only && len(lines) != len(strings.Fields(c.offered)) {
			t.Errorf("%q: exit %d, %q, %q", c.line, code, lines, directive)
		}
	}
}

// TestBashRequest: requests of the bash script and the answers to them.
func TestBashRequest(t *testing.T) {
	t.Setenv("HEADWATER_SERVER", sampleServer(t))
	const breaks = " \t\n\"'><=;|&(:"
	for line, want := range map[string]string{
		"headwater lineage snowflake:marts.ord": "-\nmarts.orders\n",
		"headwater lineage snowf":               "- nospace\nsnowflake\nsnowflake:\n",
		"headwater lineage 'urn:li:dataset:(urn:li:dataPlatform:dbt,analytics.marts.ord": "-\nurn:li:dataset:(urn:li:dataPlatform:dbt,analytics.marts.orders,PROD)\n",
		"headwater impact orders --platform=snow":                                        "-\nsnowflake\n",
		"headwater impact ëëëëëëëëë --platform=snow":                                     "-\nsnowflake\n",
		"headwater ingest ": "- files\ndbt\nopenlineage\nsource\n",
		"headwater":         "",
		"headwater linea":   "-\nlineage\n",
	} {
		if code, _, _ := headwater(t, "", "__bash", line, "1000", breaks); code != cli.ExitUsage {
			t.Errorf("a point behind the line: exit %d", code)
		}
		if _, stdout, stderr := headwater(t, "", "__bash", line, strconv.Itoa(utf8.RuneCountInString(line)), breaks); stdout != want {
			t.Errorf("%s: %q %s, want %q", line, stdout, stderr, want)
		}
	}
	if _, script, _ := headwater(t, "", "completion", "bash"); !strings.Contains(script, "complete -F _headwater headwater") {
		t.Errorf("the script is %s", script)
	}
}
