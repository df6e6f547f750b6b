package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/rest"
)

// must runs a command line, and fails the test if the exit code is another one.
func must(t *testing.T, code int, args ...string) string {
	t.Helper()
	got, out, errs := headwater(t, "", args...)
	if got != code {
		t.Fatalf("%v: exit %d, want %d: %s%s", args, got, code, out, errs)
	}
	return out + errs
}

// load writes tags in a run.
func load(t *testing.T, url, run string, from, to int) {
	t.Helper()
	var lines []string
	for n := from; n < to; n++ {
		lines = append(lines, record(n))
	}
	file := filepath.Join(t.TempDir(), "records.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, cli.ExitOK, "ingest", file, "--run-id", run, "--restart", "--state-dir", t.TempDir(), "--server", url)
}

func TestDeleteVerb(t *testing.T) {
	url := newServer(t, nil)
	load(t, url, "one", 0, 5)
	at := []string{"--server", url}
	run := func(code int, args ...string) string { t.Helper(); return must(t, code, append(args, at...)...) }
	says := func(out, want string) {
		t.Helper()
		if !strings.Contains(out, want) {
			t.Errorf("%q does not say %q", out, want)
		}
	}
	says(run(cli.ExitOK, "delete", "urn:li:tag:t0", "--dry-run"), "1 entity would be hidden")
	says(run(cli.ExitOK, "delete", "urn:li:tag:t0"), "1 entity hidden")
	says(run(cli.ExitOK, "search"), "4 hits")
	says(run(cli.ExitOK, "delete", "urn:li:tag:t0"), "0 entities hidden")
	says(run(cli.ExitOK, "delete", "urn:li:tag:t0", "--undo"), "1 entity shown again")
	says(run(cli.ExitOK, "search"), "5 hits")
	says(run(cli.ExitOK, "delete", "urn:li:tag:t0", "--yes"), "1 entity hidden")
	says(run(cli.ExitOK, "delete", "--type", "tag", "--hard", "--dry-run"), "5 entities would be deleted: 13 versions") // each tag has a key and properties, and one has three versions of its status
	says(run(cli.ExitOK, "delete", "--type", "tag", "--hard", "--only-soft-deleted", "-n"), "1 entity would be deleted")
	var counted struct {
		removal.BatchDeletionResult
		DryRun bool
		Kind   string
	}
	if err := json.Unmarshal([]byte(run(cli.ExitOK, "delete", "--type", "tag", "--hard", "-n", "-o", "json")), &counted); err != nil || counted.Entities != 5 || counted.Kind != "hard" || !counted.DryRun {
		t.Errorf("as JSON: %+v %v", counted, err)
	}
	if code, out, errs := headwater(t, "no\n", append([]string{"delete", "--type", "tag", "--hard"}, at...)...); code != cli.ExitFailure || !strings.Contains(errs, "5 tag") || out != "" {
		t.Errorf("declined: exit %d %s%s", code, out, errs)
	}
	if code, _, _ := headwater(t, "", append([]string{"delete", "--type", "tag", "--hard"}, at...)...); code != cli.ExitFailure {
		t.Errorf("no answer: exit %d", code)
	}
	says(run(cli.ExitOK, "search"), "4 hits")
	if code, out, _ := headwater(t, "y\n", append([]string{"delete", "--type", "tag", "--hard"}, at...)...); code != cli.ExitOK || !strings.Contains(out, "5 entities deleted") {
		t.Errorf("agreed: exit %d %s", code, out)
	}
	says(run(cli.ExitNotFound, "delete", "urn:li:tag:t0", "--hard", "--yes"), "nothing is stored")
	says(run(cli.ExitOK, "delete", "--type", "tag", "--hard", "--yes"), "0 entities")
	for _, args := range [][]string{
		{},
		{"urn:li:tag:a", "--type", "tag"},
		{"urn:li:tag:a", "--hard", "--undo"},
		{"urn:li:tag:a", "--references"},
		{"urn:li:tag:a", "--only-soft-deleted"},
		{"urn:li:tag:a", "--start", "5"},
		{"urn:li:tag:a", "--aspect", "x", "--hard"},
		{"urn:li:tag:a", "--aspect", "x", "--start", "yesterday"},
		{"--filter", "x"},
	} {
		must(t, cli.ExitUsage, append(append([]string{"delete"}, args...), at...)...)
	}
	run(cli.ExitNotFound, "delete", "not a name")
	run(cli.ExitFailure, "delete", "urn:li:dataset")
	load(t, url, "two", 0, 1)
	run(cli.ExitFailure, "delete", "urn:li:tag:t0", "--aspect", "tagProperties", "--yes")
	must(t, cli.ExitUnreachable, "delete", "urn:li:tag:a", "--server", "http://127.0.0.1:1")
}

func TestDeleteValues(t *testing.T) {
	url := newServer(t, nil)
	const table = "urn:li:dataset:(urn:li:dataPlatform:hive,a,PROD)"
	var lines []string
	for n := range 5 {
		text, _ := json.Marshal(map[string]any{
			"entityType": "dataset", "entityUrn": table, "changeType": "UPSERT", "aspectName": "datasetProfile",
			"aspect": map[string]any{"json": map[string]any{"timestampMillis": 1000 * (n + 1), "rowCount": n}},
		})
		lines = append(lines, string(text))
	}
	if code, _, errs := headwater(t, strings.Join(lines, "\n"), "ingest", "-", "--server", url); code != cli.ExitOK {
		t.Fatal(errs)
	}
	args := []string{"delete", table, "--aspect", "datasetProfile", "--end", "3000", "--server", url}
	if out := must(t, cli.ExitOK, append(args, "-n")...); !strings.Contains(out, "3 time-series values would be deleted") {
		t.Error(out)
	}
	if out := must(t, cli.ExitOK, append(args, "--yes", "-o", "json")...); !strings.Contains(out, `"timeseriesRows": 3`) {
		t.Error(out)
	}
	if out := must(t, cli.ExitOK, append(args, "--yes")...); !strings.Contains(out, "0 time-series values deleted") {
		t.Error(out)
	}
}

func TestRunsVerb(t *testing.T) {
	var broken atomic.Bool
	url := newServer(t, func(w http.ResponseWriter, r *http.Request) bool {
		if broken.Load() && r.URL.Query().Get("action") == "rollback" && r.ContentLength > 60 { // a request that continues a rollback
			http.Error(w, "", http.StatusServiceUnavailable)
			return true
		}
		return false
	})
	load(t, url, "first", 0, 3)
	load(t, url, "second", 3, 1300)
	run := func(code int, args ...string) string {
		t.Helper()
		return must(t, code, append(args, "--server", url)...)
	}
	says := func(out string, want ...string) {
		t.Helper()
		for _, part := range want {
			if !strings.Contains(out, part) {
				t.Errorf("%q does not say %q", out, part)
			}
		}
	}
	says(run(cli.ExitOK, "runs", "list"), "second", "2594", "first", "6")
	says(run(cli.ExitOK, "runs", "list", "-o", "json", "--limit", "1"), `"runId": "second"`)
	says(run(cli.ExitOK, "runs", "show", "first"), "wrote 6 aspects of 3 entities", "t2", "tagKey", "created")
	says(run(cli.ExitOK, "runs", "show", "first", "-o", "json", "--values"), `"aspect": {`)
	says(run(cli.ExitNotFound, "runs", "show", "nothing"), "is current")
	says(run(cli.ExitNotFound, "runs", "show", "secnod"), "(did you mean second?)")
	says(run(cli.ExitNotFound, "runs", "rollback", "frist"), "(did you mean first?)")
	says(run(cli.ExitOK, "runs", "rollback", "second", "--dry-run"), "a rollback reverts 2594 aspects of 1297 entities, and hides 1297 entities")
	says(run(cli.ExitOK, "runs", "rollback", "second", "--dry-run", "--hard", "-o", "json"), `"aspectsReverted": 2594`)
	broken.Store(true) // the second request fails
	says(run(cli.ExitFailure, "runs", "rollback", "second", "--yes"), "2000 aspects are reverted; headwater runs rollback second continues")
	broken.Store(false)
	if code, _, errs := headwater(t, "n\n", "runs", "rollback", "second", "--server", url); code != cli.ExitFailure || !strings.Contains(errs, "reverts 594 aspects") {
		t.Errorf("declined: exit %d %s", code, errs)
	}
	says(run(cli.ExitOK, "runs", "rollback", "second", "--yes"), "reverted 594 aspects")
	says(run(cli.ExitOK, "runs", "list"), "second", "594", "rolled back")
	says(run(cli.ExitNotFound, "runs", "show", "second"), "the run second was rolled back at", "by urn:li:corpuser:")
	says(run(cli.ExitOK, "search"), "3 hits")
	says(run(cli.ExitNotFound, "runs", "rollback", "second", "--yes"), "is current")
	says(run(cli.ExitOK, "runs", "rollback", "second", "--yes", "--hard"), "reverted 1297 aspects of 1297 entities, and deleted 1297 entities")
	run(cli.ExitNotFound, "runs", "rollback", "second", "--yes", "--hard")
	run(cli.ExitFailure, "runs", "rollback", "no-run-id-provided", "--yes")
	says(run(cli.ExitOK, "runs", "list"), "second", "rolled back", "first")
	must(t, cli.ExitUsage, "runs", "jump")
	must(t, cli.ExitUsage, "runs", "show")
	says(must(t, cli.ExitOK, "runs"), "rollback")
}

// TestLastRun: lastRun finds the newest run that is not rolled back, of all runs or of one
// pipeline. It ignores runs of bookkeeping.
func TestLastRun(t *testing.T) {
	var now atomic.Int64
	now.Store(time.Now().UnixNano())
	server := httptest.NewServer(rest.New(rest.Options{Catalog: testcatalog.At(t, func() time.Time { return time.Unix(0, now.Load()) })}))
	t.Cleanup(server.Close)
	url := server.URL
	write := func(n int, run, pipeline string) {
		t.Helper()
		body := fmt.Sprintf(`{"proposal":{"entityType":"tag","entityUrn":"urn:li:tag:t%d","changeType":"UPSERT","aspectName":"tagProperties",
			"aspect":{"value":"{\"name\":\"t%d\"}","contentType":"application/json"},"systemMetadata":{"runId":%q,"pipelineName":%q}}}`, n, n, run, pipeline)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/aspects?action=ingestProposal", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("X-RestLi-Protocol-Version", "2.0.0")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		if answer.Body.Close(); answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s", answer.Status, text)
		}
	}
	for n, run := range [][2]string{{"one", "daily"}, {"two", "hourly"}, {"three", "daily"}, {"", ""}} {
		write(n, run[0], run[1])
		now.Add(int64(time.Second))
	}
	for _, c := range []struct {
		code  int
		args  string
		wants string
	}{
		{cli.ExitOK, "runs list -o json", `"runId": "three"`},
		{cli.ExitOK, "runs list --bookkeeping", catalog.NoRunID},
		{cli.ExitOK, "runs list --pipeline hourly -o json", `"pipeline": "hourly"`},
		{cli.ExitNotFound, "runs list --pipeline hourl", "(did you mean hourly?)"},
		{cli.ExitOK, "runs rollback --last --dry-run", "the last run is three"},
		{cli.ExitOK, "runs rollback --last --pipeline hourly -n", "the last run is two"},
		{cli.ExitNotFound, "runs rollback --last --pipeline dayly -n", "(did you mean daily?)"},
		{cli.ExitUsage, "runs rollback --pipeline daily", "--pipeline needs --last"},
		{cli.ExitUsage, "runs rollback one --last", "name the run one, or use --last"},
		{cli.ExitFailure, "runs rollback --last", "nothing was changed"},
		{cli.ExitOK, "runs rollback --last --pipeline daily --yes -o json", `"runId": "three"`},
		{cli.ExitOK, "runs rollback --last --pipeline daily --yes", "the last run is one"},
		{cli.ExitNotFound, "runs rollback --last --pipeline daily --yes", "no run that is not rolled back"},
		{cli.ExitOK, "runs rollback --last --yes", "the last run is two"},
		{cli.ExitNotFound, "runs rollback --last --yes", "no run that is not rolled back"},
	} {
		if out := must(t, c.code, append(strings.Fields(c.args), "--server", url)...); !strings.Contains(out, c.wants) {
			t.Errorf("%s: no %q in\n%s", c.args, c.wants, out)
		}
	}
	if out := must(t, cli.ExitOK, "runs", "list", "--server", url); strings.Contains(out, catalog.NoRunID) || strings.Count(out, "rolled back") != 3 {
		t.Errorf("the list:\n%s", out)
	}
}

// TestLargeRun: the first request counts the rows of a run, and a second one finds out
// whether there are more.
func TestLargeRun(t *testing.T) {
	for _, test := range []struct {
		rows     int
		args     []string
		requests int
		want     []string
		not      string
	}{
		{30, nil, 1, []string{"wrote 30 aspects of 30", "rows 1 to 20 of 30"}, "least"},
		{30, []string{"--start", "25"}, 1, []string{"wrote 30 aspects"}, "rows"},
		{30, []string{"--limit", "1"}, 1, []string{"rows 1 to 1 of 30"}, "least"},
		{10_000, nil, 2, []string{"wrote 10000 aspects", "rows 1 to 20 of 10000"}, "only the first"},
		{10_001, nil, 2, []string{"wrote at least 10000 aspects", "only the first 10000 rows are counted", "rows 1 to 20 of at least 10001"}, "x"},
		{10_100, []string{"--start", "10050"}, 3, []string{"tag 10050", "rows 10051 to 10070 of at least 10070"}, "x"},
	} {
		requests := 0
		url := newServer(t, func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Query().Get("action") != "describe" {
				return false
			}
			requests++
			var q struct{ Start, Count int }
			if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
				t.Error(err)
			}
			rows := []map[string]any{}
			for n := q.Start; n < min(q.Start+q.Count, test.rows); n++ {
				rows = append(rows, map[string]any{"urn": fmt.Sprintf("urn:li:tag:tag %d", n), "aspectName": "tagProperties", "timestamp": n})
			}
			if err := json.NewEncoder(w).Encode(map[string]any{"value": rows}); err != nil {
				t.Error(err)
			}
			return true
		})
		out := must(t, cli.ExitOK, append([]string{"runs", "show", "large", "--server", url}, test.args...)...)
		for _, want := range test.want {
			if !strings.Contains(out, want) {
				t.Errorf("%d rows %v: no %q in\n%s", test.rows, test.args, want, out)
			}
		}
		if test.not != "x" && strings.Contains(out, test.not) || requests != test.requests {
			t.Errorf("%d rows %v: %d requests, %q is in\n%s", test.rows, test.args, requests, test.not, out)
		}
	}
}

func TestExportAndImportVerbs(t *testing.T) {
	url := newServer(t, nil)
	load(t, url, "one", 0, 700)
	load(t, url, "two", 0, 1) // the run writes nothing new
	dir := t.TempDir()
	file := filepath.Join(dir, "catalog.jsonl.gz")
	if out := must(t, cli.ExitOK, "export", file, "--server", url); !strings.Contains(out, "700 entities, 1400 versions, 0 edges, 0 time-series values") {
		t.Error(out)
	}
	code, plain, errs := headwater(t, "", "export", "-", "--server", url, "-o", "json")
	if code != cli.ExitOK || !strings.Contains(errs, `"entities": 700`) {
		t.Fatalf("exit %d %s", code, errs)
	}
	other := newServer(t, nil)
	if out := must(t, cli.ExitOK, "import", file, "--server", other, "-n"); !strings.Contains(out, "700 entities would be written") {
		t.Error(out)
	}
	if out := must(t, cli.ExitOK, "import", file, "--server", other); !strings.Contains(out, "700 entities written (1400 versions") {
		t.Error(out)
	}
	if code, out, errs := headwater(t, plain, "import", "-", "--server", other, "-o", "json"); code != cli.ExitOK || !strings.Contains(out, `"unchanged": 700`) {
		t.Errorf("exit %d %s%s", code, out, errs)
	}
	must(t, cli.ExitOK, "delete", "urn:li:tag:t5", "--server", other)
	if out := must(t, cli.ExitPartial, "import", file, "--server", other); !strings.Contains(out, "699 unchanged, 1 failed") || !strings.Contains(out, "urn:li:tag:t5: the entity is already stored with other contents") {
		t.Error(out)
	}
	if out := must(t, cli.ExitOK, "import", file, "--replace", "--server", other); !strings.Contains(out, "1 entity written") {
		t.Error(out)
	}
	lines := strings.SplitAfter(plain, "\n")
	for name, c := range map[string]struct{ text, says string }{
		"cut off":   {strings.Join(lines[:20], ""), "incomplete"},
		"no header": {lines[1], "does not begin with a header"},
		"no JSON":   {"hello", "not a line of an export"},
		"newer":     {strings.Replace(plain, `"format":1`, `"format":7`, 1), "format 7"},
	} {
		if code, _, errs := headwater(t, c.text, "import", "-", "--server", other); code != cli.ExitFailure || !strings.Contains(errs, c.says) {
			t.Errorf("%s: exit %d %s", name, code, errs)
		}
	}
	must(t, cli.ExitUsage, "import", filepath.Join(dir, "nothing"), "--server", other)
	must(t, cli.ExitUnreachable, "export", filepath.Join(dir, "x"), "--server", "http://127.0.0.1:1")
	cut := newServer(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/export" {
			fmt.Fprint(w, lines[0], lines[1])
		}
		return r.URL.Path == "/export"
	})
	failing := newServer(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/export" {
			fmt.Fprint(w, lines[0], `{"error":{"status":503,"message":"the graph store is not available"}}`+"\n")
		}
		return r.URL.Path == "/export"
	})
	must(t, cli.ExitUnreachable, "export", filepath.Join(dir, "cut"), "--server", cut)
	if out := must(t, cli.ExitFailure, "export", filepath.Join(dir, "cut"), "--server", failing); !strings.Contains(out, "not available") {
		t.Error(out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("files left: %v", left)
	}
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if out := must(t, cli.ExitOK, "completion", shell); !strings.Contains(out, "headwater") {
			t.Errorf("%s: %s", shell, out)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"ru"}, "runs"},
		{[]string{"runs", "ro"}, "rollback"},
		{[]string{"search", "--type", "data"}, "dataset"},
		{[]string{"delete", "--output", "j"}, "json"},
		{[]string{"lineage", "--format", "m"}, "mermaid"},
	} {
		if out := must(t, cli.ExitOK, append([]string{"__complete"}, c.args...)...); !strings.Contains(out, c.want+"\n") && !strings.Contains(out, c.want+"\t") {
			t.Errorf("%v completes to %q", c.args, out)
		}
	}
}
