package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// exported are the lines of an export.
func (h *harness) exported() []string {
	h.t.Helper()
	var lines []string
	err := h.Export(context.Background(), func(line *ExportLine) error {
		if line.Header == nil {
			var text strings.Builder
			h.want("", line.Encode(&text))
			lines = append(lines, text.String())
		}
		return nil
	})
	h.want("", err)
	return lines
}

func (h *harness) imported(options ImportOptions, lines []string) *ImportResult {
	h.t.Helper()
	i := h.NewImport(options, WriteOptions{})
	for _, text := range lines {
		var line ExportLine
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			h.t.Fatal(err)
		}
		h.want("", i.Add(context.Background(), &line))
	}
	result, err := i.Finish(context.Background())
	h.want("", err)
	return result
}

// history fills a catalog with what an export has to keep.
func history(h *harness) {
	h.run("one", table, "datasetProperties", `{"name":"a","customProperties":{"a":"<b>&"}}`)
	h.run("two", table, "datasetProperties", `{"name":"b"}`)
	h.run("two", table, "upstreamLineage", `{"upstreams":[{"dataset":"`+upstream+`","type":"TRANSFORMED"}],"fineGrainedLineages":[{"upstreamType":"FIELD_SET","downstreamType":"FIELD","upstreams":["urn:li:schemaField:(`+upstream+`,x)"],"downstreams":["urn:li:schemaField:(`+table+`,y)"]}]}`)
	h.run("two", upstream, "upstreamLineage", `{"upstreams":[],"fineGrainedLineages":[{"upstreamType":"FIELD_SET","downstreamType":"FIELD","upstreams":["urn:li:schemaField:(`+table+`,`+strings.Repeat("long", 200)+`)"],"downstreams":["urn:li:schemaField:(`+upstream+`,x)"]}]}`)
	h.run("three", table, "upstreamLineage", `{"upstreams":[{"dataset":"`+table+`","type":"TRANSFORMED"}]}`)
	h.put("", Delete, table, "datasetProperties", "")
	h.run("four", ada, "corpUserInfo", `{"active":true,"displayName":"Ada"}`)
	h.run("four", ada, "status", `{"removed":true}`)
	for n := range 450 {
		h.run("profiling", table, "datasetProfile", fmt.Sprintf(profileValue, n+1))
	}
}

func TestExportAndImport(t *testing.T) {
	source := newHarness(t)
	history(source)
	lines := source.exported()
	if len(lines) != 3+3+1 { // three entities, three pages of values, the end
		t.Fatalf("%d lines", len(lines))
	}
	var end ExportLine
	if err := json.Unmarshal([]byte(lines[6]), &end); err != nil || end.End == nil || *end.End != (ExportEnd{Entities: 3, Versions: 16, Edges: 6, Values: 450}) {
		t.Errorf("the end: %s %v", lines[6], err)
	}
	bothStores(t, func(t *testing.T, store graphstore.Store) {
		defer store.Close() //nolint:errcheck // the test is over
		h := &harness{Catalog: New(Options{Store: store}), t: t}
		for _, urn := range []string{table, upstream, ada} {
			_, err := h.Delete(context.Background(), urn, false, WriteOptions{}) // other tests may have written it
			h.want("", err)
		}
		dry := h.imported(ImportOptions{DryRun: true}, lines)
		want := ImportResult{Entities: 3, Versions: 16, Edges: 6, Values: 450, Failures: []ImportFailure{}}
		if diff := cmp.Diff(want, *dry); diff != "" {
			t.Errorf("dry run (-want +got):\n%s", diff)
		}
		if exists, _ := h.Exists(context.Background(), table); exists {
			t.Error("a dry run wrote something")
		}
		if diff := cmp.Diff(want, *h.imported(ImportOptions{}, lines)); diff != "" {
			t.Errorf("import (-want +got):\n%s", diff)
		}
		histories, err := store.History(context.Background(), []string{table, upstream, ada})
		h.want("", err)
		original, err := source.store.History(context.Background(), []string{table, upstream, ada})
		h.want("", err)
		if diff := cmp.Diff(original, histories); diff != "" {
			t.Errorf("histories (-exported +imported):\n%s", diff)
		}
		was, err := source.store.Entities(context.Background(), []string{table, ada, upstream})
		h.want("", err)
		is, err := store.Entities(context.Background(), []string{table, ada, upstream})
		h.want("", err)
		if diff := cmp.Diff(was, is); diff != "" {
			t.Errorf("nodes (-exported +imported):\n%s", diff)
		}
		again := h.imported(ImportOptions{}, lines)
		if again.Entities != 0 || again.Unchanged != 3 || len(again.Failures) != 0 {
			t.Errorf("again: %+v", again)
		}
		runs, err := h.DescribeRun(context.Background(), RunQuery{RunID: "profiling", Count: 5})
		h.want("", err)
		if len(runs) != 1 || runs[0].TimeSeriesRows != 450 {
			t.Errorf("the run of the values: %+v", runs)
		}
		h.run("later", table, "datasetProperties", `{"name":"new"}`)
		conflict := h.imported(ImportOptions{}, lines)
		if conflict.Unchanged != 2 || len(conflict.Failures) != 1 || conflict.Failures[0].URN != table || conflict.Values != 0 {
			t.Errorf("what is stored otherwise: %+v", conflict)
		}
		replaced := h.imported(ImportOptions{Replace: true}, lines)
		if replaced.Entities != 1 || replaced.Unchanged != 2 || replaced.Values != 450 {
			t.Errorf("replaced: %+v", replaced)
		}
		if got := h.value(table, "datasetProperties", 0); got != "" {
			t.Errorf("what was replaced is left: %s", got)
		}
	})
}

func TestImportRefuses(t *testing.T) {
	h := newHarness(t)
	version := func(aspect, value string, more string) string {
		return `{"aspect":"` + aspect + `","seq":1,"latest":true,"value":` + value + `,"createdOn":5,"createdBy":"` + ada + `","systemMetadata":{"lastObserved":1}` + more + `}`
	}
	key := version("corpUserKey", `{"username":"ada"}`, "")
	entity := func(urn, versions, edges string) string {
		return `{"entity":{"urn":"` + urn + `","versions":[` + versions + `],"edges":[` + edges + `]}}`
	}
	edge := func(edgeType, destination, destinationType string, until int) string {
		return fmt.Sprintf(`{"aspect":"status","path":"p","type":"%s","source":"%s","sourceType":"corpuser","destination":"%s","destinationType":"%s","since":5,"until":%d}`, edgeType, ada, destination, destinationType, until)
	}
	for _, c := range []struct{ name, line, says string }{
		{"urn", entity("x", key, ""), "invalid urn"},
		{"no key", entity(ada, version("status", `{"removed":false}`, ""), ""), "key aspect"},
		{"unknown aspect", entity(ada, key+","+version("nothing", `{}`, ""), ""), "nothing is not a versioned aspect"},
		{"another's aspect", entity(ada, key+","+version("upstreamLineage", `{"upstreams":[]}`, ""), ""), "not a versioned aspect"},
		{"invalid value", entity(ada, key+","+version("status", `{"gone":1}`, ""), ""), "unrecognized field"},
		{"twice", entity(ada, key+","+key, ""), "invalid or repeated version number"},
		{"no number", entity(ada, strings.Replace(key, `"seq":1`, `"seq":0`, 1), ""), "invalid or repeated version number"},
		{"two latest", entity(ada, key+","+strings.Replace(key, `"seq":1`, `"seq":2`, 1), ""), "two latest"},
		{"above the latest", entity(ada, key+","+strings.Replace(strings.Replace(key, `"seq":1`, `"seq":2`, 1), `"latest":true,`, "", 1), ""), "above its latest"},
		{"relationship", entity(ada, key, edge("x`]->() DETACH DELETE", "urn:li:tag:a", "tag", 6)), "not a relationship"},
		{"end of an edge", entity(ada, key, edge("OwnedBy", "x", "tag", 6)), "invalid urn"},
		{"type of an end", entity(ada, key, edge("OwnedBy", "urn:li:tag:a", "dataset", 6)), "is not a dataset"},
		{"ended first", entity(ada, key, edge("OwnedBy", "urn:li:tag:a", "tag", 4)), "before it began"},
		{"values of what", `{"timeSeries":{"urn":"x","aspect":"datasetProfile","values":[]}}`, "invalid urn"},
		{"values of no series", `{"timeSeries":{"urn":"` + ada + `","aspect":"status","values":[]}}`, "not a time-series aspect"},
		{"bad value", `{"timeSeries":{"urn":"` + table + `","aspect":"datasetProfile","values":[{"value":{"rowCount":1}}]}}`, "timestampMillis"},
		{"values of nobody", `{"timeSeries":{"urn":"` + table + `","aspect":"datasetProfile","values":[{"value":{"timestampMillis":1,"rowCount":1}}]}}`, "does not exist"},
	} {
		result := h.imported(ImportOptions{}, []string{c.line})
		if len(result.Failures) != 1 || !strings.Contains(result.Failures[0].Message, c.says) || result.Entities+result.Values != 0 {
			t.Errorf("%s: %+v, want a failure that says %q", c.name, result, c.says)
		}
	}
	if len(h.changes()) != 0 {
		t.Error("something was written")
	}
	i := h.NewImport(ImportOptions{}, WriteOptions{})
	h.want(Invalid, i.Add(context.Background(), &ExportLine{Header: &ExportHeader{Format: 99}}))
	h.want(Invalid, i.Add(context.Background(), &ExportLine{}))
	twice := h.imported(ImportOptions{}, []string{entity(ada, key, ""), entity(ada, key, "")})
	if twice.Entities != 1 || len(twice.Failures) != 1 {
		t.Errorf("an entity twice: %+v", twice)
	}
	h.store.failCommit = graphstore.ErrUnavailable
	i = h.NewImport(ImportOptions{Replace: true}, WriteOptions{})
	var line ExportLine
	if err := json.Unmarshal([]byte(entity(ada, version("status", `{"removed":true}`, "")+","+key, "")), &line); err != nil {
		t.Fatal(err)
	}
	h.want("", i.Add(context.Background(), &line))
	_, err := i.Finish(context.Background())
	h.want(Unavailable, err)
	h.store.failCommit = nil
	if h.value(ada, "corpUserKey", 0) == "" || h.value(ada, "status", 0) != "" {
		t.Error("an import that failed changed something")
	}
}

// TestImportOfLongURNs: ends of edges and actors are no longer than they may be
// where they are written otherwise.
func TestImportOfLongURNs(t *testing.T) {
	key := `{"aspect":"datasetKey","seq":1,"latest":true,"value":{"platform":"urn:li:dataPlatform:hive","name":"db.Orders","origin":"PROD"},"createdOn":1,"createdBy":"$by","systemMetadata":{"lastObserved":1}}`
	edge := `{"aspect":"upstreamLineage","path":"p","type":"DownstreamOf","source":"$from","sourceType":"$type","destination":"$to","destinationType":"$type","since":1,"sinceActor":"$actor"}`
	column := func(n int) string { return "urn:li:schemaField:(" + upstream + "," + strings.Repeat("c", n) + ")" }
	dataset := func(n int) string {
		return "urn:li:dataset:(urn:li:dataPlatform:hive," + strings.Repeat("d", n) + ",PROD)"
	}
	for name, c := range map[string]struct {
		by, from, to, kind, actor string
		refused                   bool
	}{
		"short":         {"urn:li:corpuser:a", table, upstream, "dataset", "urn:li:corpuser:a", false},
		"a long column": {"urn:li:corpuser:a", column(9), column(3000), "schemaField", "urn:li:corpuser:a", false},
		"column":        {"urn:li:corpuser:a", column(9), column(5000), "schemaField", "urn:li:corpuser:a", true},
		"source":        {"urn:li:corpuser:a", column(5000), column(9), "schemaField", "urn:li:corpuser:a", true},
		"destination":   {"urn:li:corpuser:a", table, dataset(600), "dataset", "urn:li:corpuser:a", true},
		"actor":         {"urn:li:corpuser:a", table, upstream, "dataset", "urn:li:corpuser:" + strings.Repeat("a", 600), true},
		"writer":        {"urn:li:corpuser:" + strings.Repeat("a", 600), table, upstream, "dataset", "urn:li:corpuser:a", true},
	} {
		h := newHarness(t)
		text := `{"entity":{"urn":"` + table + `","versions":[` + key + `],"edges":[` + edge + `]}}`
		text = strings.NewReplacer("$by", c.by, "$from", c.from, "$to", c.to, "$type", c.kind, "$actor", c.actor).Replace(text)
		result := h.imported(ImportOptions{}, []string{text})
		if (len(result.Failures) > 0) != c.refused {
			t.Errorf("%s: %.300v", name, result.Failures)
		}
		if exists, err := h.Exists(context.Background(), table); err != nil || exists == c.refused {
			t.Errorf("%s: written %t, %v", name, exists, err)
		}
	}
}

// TestExportsAreBounded: an export beyond the number that runs at once is
// refused, and there is room again when one ends.
func TestExportsAreBounded(t *testing.T) {
	h := newHarness(t)
	h.put("", Upsert, table, "datasetProperties", `{"description":"d"}`)
	release, running := make(chan struct{}), make(chan struct{}, limits.Exports)
	var exports sync.WaitGroup
	for range limits.Exports {
		exports.Go(func() {
			begun := false
			if err := h.Export(t.Context(), func(*ExportLine) error {
				if !begun {
					begun = true
					running <- struct{}{}
					<-release
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	for range limits.Exports {
		<-running
	}
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := h.Export(short, func(*ExportLine) error { return nil }); CodeOf(err) != Busy {
		t.Errorf("one more: %v", err)
	}
	close(release)
	exports.Wait()
	if err := h.Export(t.Context(), func(*ExportLine) error { return nil }); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
