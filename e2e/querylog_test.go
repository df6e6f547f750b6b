package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// loggedQueries is a log that the sql-queries source of the client and headwater sql --log both read. Each statement has
// one text, so that both name it in the same way.
const loggedQueries = `{"query": "select order_id, total from public.orders", "user": "ada", "timestamp": "2026-11-27T10:00:00Z"}
{"query": "select order_id, total from public.orders", "user": "bo@larkspur.example", "timestamp": "2026-11-27T12:00:00Z"}
{"query": "select total from public.orders where status = 'paid'", "user": "ada", "timestamp": "2026-11-26T12:00:00Z"}
{"query": "insert into public.customers (customer_id) select order_id as customer_id from public.orders", "user": "ada", "timestamp": "2026-11-27T13:00:00Z"}
{"query": "select c.email, o.total from public.orders o join public.customers c on c.customer_id = o.customer_id", "timestamp": "2026-11-27T14:00:00Z"}
`

// TestQueryLog compares the aspects that headwater sql --log --ingest writes with the aspects that the unmodified
// client's source of query logs writes. Our usage has more columns: the client leaves out columns that are only joined
// or filtered on.
func TestQueryLog(t *testing.T) {
	venv := pythonFor(t, "clients")
	s := start(t, "--data", t.TempDir(), "--sample")
	folder := t.TempDir()
	written, log := filepath.Join(folder, "written.json"), filepath.Join(folder, "log.jsonl")
	recipe, err := json.Marshal(map[string]any{
		"source": map[string]any{"type": "sql-queries", "config": map[string]any{
			"query_file": log, "platform": "postgres", "default_db": "shop",
			"usage": map[string]string{"start_time": "2026-11-20T00:00:00Z", "end_time": "2026-11-29T00:00:00Z"},
		}},
		"datahub_api": map[string]string{"server": s.base},
		"sink":        map[string]any{"type": "file", "config": map[string]string{"filename": written}},
	})
	if err != nil {
		t.Fatal(err)
	}
	// The source imports smart_open for logs in S3; this log is a local file.
	writeFiles(t, folder, map[string]string{"recipe.yml": string(recipe), "log.jsonl": loggedQueries, "smart_open.py": ""})
	runProgram(t, folder, filepath.Join(venv, "bin", "datahub"), []string{"ingest", "-c", "recipe.yml"}, false, "DATAHUB_TELEMETRY_ENABLED=false", "PYTHONPATH="+folder)
	text, err := os.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	var records []map[string]any
	if err := json.Unmarshal(text, &records); err != nil {
		t.Fatal(err)
	}
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(path, "sql", "--log", log, "--dialect", "postgres", "--database", "shop", "--server", s.base, "--ingest", "-o", "json").Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	queries := map[string]string{} // by the text
	for line := range bytes.Lines(out) {
		var read struct{ Query, Statement string }
		if err := json.Unmarshal(line, &read); err != nil {
			t.Fatal(err)
		}
		queries[read.Statement] = read.Query
	}
	theirs := aspectsOf(t, records)
	texts := map[string]string{} // of the client's queries
	for key, value := range theirs {
		if urn, aspect, _ := strings.Cut(key, " "); aspect == "queryProperties" {
			texts[urn] = fmt.Sprint(at(value, "statement", "value"))
		}
	}
	if len(texts) != 4 {
		t.Fatalf("the client states %d queries", len(texts))
	}
	compared := map[string]int{}
	for key, value := range theirs {
		urn, aspect, _ := strings.Cut(key, " ")
		aspect, _, _ = strings.Cut(aspect, " ")
		if text, isQuery := texts[urn]; isQuery {
			urn = queries[text]
		}
		s.compareLogged(urn, aspect, value, texts, queries)
		compared[aspect]++
	}
	for _, aspect := range []string{"datasetUsageStatistics", "operation", "queryProperties", "querySubjects", "queryUsageStatistics", "dataPlatformInstance"} {
		if compared[aspect] == 0 {
			t.Errorf("the client states no %s", aspect)
		}
	}
}

// compareLogged compares an aspect of the client with the one in the catalog.
func (s *server) compareLogged(urn, aspect string, theirs any, texts, queries map[string]string) {
	s.t.Helper()
	var ours any
	switch aspect {
	case "upstreamLineage":
		return // compared in the tests of lineage
	case "queryProperties", "querySubjects", "dataPlatformInstance":
		_, answer := s.send("GET", "/aspects/"+urn+"?aspect="+aspect+"&version=0", "")
		for _, value := range at(answer, "aspect").(map[string]any) {
			ours = value
		}
	default:
		request, err := json.Marshal(map[string]any{"urn": urn, "entity": strings.Split(urn, ":")[2], "aspect": aspect, "limit": 100})
		if err != nil {
			s.t.Fatal(err)
		}
		_, answer := s.send("POST", "/aspects?action=getTimeseriesAspectValues", string(request))
		values, _ := at(answer, "value", "values").([]any)
		for _, v := range values {
			var value map[string]any
			if err := json.Unmarshal([]byte(fmt.Sprint(at(v, "aspect", "value"))), &value); err != nil {
				s.t.Fatal(err)
			}
			// The client gives an operation the time at which the client runs.
			if aspect == "operation" || value["timestampMillis"] == at(theirs, "timestampMillis") {
				ours = value
			}
		}
	}
	if ours == nil {
		s.t.Errorf("%s of %s is not in the catalog", aspect, urn)
		return
	}
	differences(theirs, ours, "", func(path string, a, b any) {
		switch {
		case aspect == "operation" && path == ".timestampMillis", aspect == "queryProperties" && path == ".customProperties only client":
		case aspect == "queryUsageStatistics" && (path == ".uniqueUserCount" || path == ".userCounts"): // the client names the last user only
		case aspect == "operation" && path == ".queries[]":
			if queries[texts[fmt.Sprint(a)]] != b {
				s.t.Errorf("the operation has the query %v, the client %v", b, a)
			}
		case path == ".topSqlQueries" || path == ".fieldCounts" || path == ".subjects": // in another order, and more columns
			for _, one := range a.([]any) {
				if !slices.ContainsFunc(b.([]any), func(other any) bool { return text(one) == text(other) }) {
					s.t.Errorf("%s of %s: %s lacks %v, and has %v", aspect, urn, path, one, b)
				}
			}
		default:
			s.t.Errorf("%s of %s %s\nclient:    %v\nheadwater: %v", aspect, urn, path, a, b)
		}
	})
}
