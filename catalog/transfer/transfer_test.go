package transfer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// history fills a catalog with all that an export must contain.
func history(h *catalogtest.Harness) {
	h.Run("one", catalogtest.Table, "datasetProperties", `{"name":"a","customProperties":{"a":"<b>&"}}`)
	h.Run("two", catalogtest.Table, "datasetProperties", `{"name":"b"}`)
	h.Run("two", catalogtest.Table, "upstreamLineage", `{"upstreams":[{"dataset":"`+catalogtest.Upstream+`","type":"TRANSFORMED"}],"fineGrainedLineages":[{"upstreamType":"FIELD_SET","downstreamType":"FIELD","upstreams":["urn:li:schemaField:(`+catalogtest.Upstream+`,x)"],"downstreams":["urn:li:schemaField:(`+catalogtest.Table+`,y)"]}]}`)
	h.Run("two", catalogtest.Upstream, "upstreamLineage", `{"upstreams":[],"fineGrainedLineages":[{"upstreamType":"FIELD_SET","downstreamType":"FIELD","upstreams":["urn:li:schemaField:(`+catalogtest.Table+`,`+strings.Repeat("long", 200)+`)"],"downstreams":["urn:li:schemaField:(`+catalogtest.Upstream+`,x)"]}]}`)
	h.Run("three", catalogtest.Table, "upstreamLineage", `{"upstreams":[{"dataset":"`+catalogtest.Table+`","type":"TRANSFORMED"}]}`)
	h.Put("", write.Delete, catalogtest.Table, "datasetProperties", "")
	h.Run("four", catalogtest.Ada, "corpUserInfo", `{"active":true,"displayName":"Ada"}`)
	h.Run("four", catalogtest.Ada, "status", `{"removed":true}`)
	for n := range 450 {
		h.Run("profiling", catalogtest.Table, "datasetProfile", fmt.Sprintf(catalogtest.ProfileValue, n+1))
	}
}

func TestExportAndImport(t *testing.T) {
	source := catalogtest.NewHarness(t)
	history(source)
	lines := source.Exported()
	if len(lines) != 3+3+1 { // three entities, three pages of values, and the end
		t.Fatalf("%d lines", len(lines))
	}
	var end transfer.ExportLine
	if err := json.Unmarshal([]byte(lines[6]), &end); err != nil || end.End == nil || *end.End != (transfer.ExportEnd{Entities: 3, Versions: 16, Edges: 6, Values: 450}) {
		t.Errorf("the end: %s %v", lines[6], err)
	}
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		defer store.Close() //nolint:errcheck // the test is over
		h := &catalogtest.Harness{Services: services.New(services.Options{Store: store}), T: t}
		for _, urn := range []string{catalogtest.Table, catalogtest.Upstream, catalogtest.Ada} {
			_, err := h.Removal.Delete(context.Background(), catalogtest.URN(urn), false, catalog.WriteOptions{}) // another test may have written the entity
			h.Want("", err)
		}
		dry := h.Imported(transfer.ImportOptions{DryRun: true}, lines)
		want := transfer.ImportResult{Entities: 3, Versions: 16, Edges: 6, Values: 450, Failures: []transfer.ImportFailure{}}
		if diff := cmp.Diff(want, *dry); diff != "" {
			t.Errorf("dry run (-want +got):\n%s", diff)
		}
		if exists, _ := h.Exists(context.Background(), catalogtest.URN(catalogtest.Table)); exists {
			t.Error("a dry run wrote something")
		}
		if diff := cmp.Diff(want, *h.Imported(transfer.ImportOptions{}, lines)); diff != "" {
			t.Errorf("import (-want +got):\n%s", diff)
		}
		histories, err := store.History(context.Background(), []string{catalogtest.Table, catalogtest.Upstream, catalogtest.Ada})
		h.Want("", err)
		original, err := source.Store.History(context.Background(), []string{catalogtest.Table, catalogtest.Upstream, catalogtest.Ada})
		h.Want("", err)
		if diff := cmp.Diff(original, histories); diff != "" {
			t.Errorf("histories (-exported +imported):\n%s", diff)
		}
		was, err := source.Store.Entities(context.Background(), []string{catalogtest.Table, catalogtest.Ada, catalogtest.Upstream})
		h.Want("", err)
		is, err := store.Entities(context.Background(), []string{catalogtest.Table, catalogtest.Ada, catalogtest.Upstream})
		h.Want("", err)
		if diff := cmp.Diff(was, is); diff != "" {
			t.Errorf("nodes (-exported +imported):\n%s", diff)
		}
		repeated := h.Imported(transfer.ImportOptions{}, lines)
		if repeated.Entities != 0 || repeated.Unchanged != 3 || len(repeated.Failures) != 0 {
			t.Errorf("again: %+v", repeated)
		}
		runs, err := h.Removal.DescribeRun(context.Background(), removal.RunQuery{RunID: "profiling", Count: 5})
		h.Want("", err)
		if len(runs) != 1 || runs[0].TimeSeriesRows != 450 {
			t.Errorf("the run of the values: %+v", runs)
		}
		h.Run("later", catalogtest.Table, "datasetProperties", `{"name":"new"}`)
		conflict := h.Imported(transfer.ImportOptions{}, lines)
		if conflict.Unchanged != 2 || len(conflict.Failures) != 1 || conflict.Failures[0].URN != catalogtest.Table || conflict.Values != 0 {
			t.Errorf("what is stored otherwise: %+v", conflict)
		}
		replaced := h.Imported(transfer.ImportOptions{Replace: true}, lines)
		if replaced.Entities != 1 || replaced.Unchanged != 2 || replaced.Values != 450 {
			t.Errorf("replaced: %+v", replaced)
		}
		if got := h.Value(catalogtest.Table, "datasetProperties", 0); got != "" {
			t.Errorf("what was replaced is left: %s", got)
		}
	})
}

func TestImportRefuses(t *testing.T) {
	h := catalogtest.NewHarness(t)
	version := func(aspect, value string, more string) string {
		return `{"aspect":"` + aspect + `","seq":1,"latest":true,"value":` + value + `,"createdOn":5,"createdBy":"` + catalogtest.Ada + `","systemMetadata":{"lastObserved":1}` + more + `}`
	}
	key := version("corpUserKey", `{"username":"ada"}`, "")
	entity := func(urn, versions, edges string) string {
		return `{"entity":{"urn":"` + urn + `","versions":[` + versions + `],"edges":[` + edges + `]}}`
	}
	edge := func(edgeType, destination, destinationType string, until int) string {
		return fmt.Sprintf(`{"aspect":"status","path":"p","type":"%s","source":"%s","sourceType":"corpuser","destination":"%s","destinationType":"%s","since":5,"until":%d}`, edgeType, catalogtest.Ada, destination, destinationType, until)
	}
	for _, c := range []struct{ name, line, says string }{
		{"urn", entity("x", key, ""), "invalid urn"},
		{"no key", entity(catalogtest.Ada, version("status", `{"removed":false}`, ""), ""), "key aspect"},
		{"unknown aspect", entity(catalogtest.Ada, key+","+version("nothing", `{}`, ""), ""), "nothing is not a versioned aspect"},
		{"another's aspect", entity(catalogtest.Ada, key+","+version("upstreamLineage", `{"upstreams":[]}`, ""), ""), "not a versioned aspect"},
		{"invalid value", entity(catalogtest.Ada, key+","+version("status", `{"gone":1}`, ""), ""), "unrecognized field"},
		{"twice", entity(catalogtest.Ada, key+","+key, ""), "invalid or repeated version number"},
		{"no number", entity(catalogtest.Ada, strings.Replace(key, `"seq":1`, `"seq":0`, 1), ""), "invalid or repeated version number"},
		{"two latest", entity(catalogtest.Ada, key+","+strings.Replace(key, `"seq":1`, `"seq":2`, 1), ""), "two latest"},
		{"above the latest", entity(catalogtest.Ada, key+","+strings.Replace(strings.Replace(key, `"seq":1`, `"seq":2`, 1), `"latest":true,`, "", 1), ""), "above its latest"},
		{"relationship", entity(catalogtest.Ada, key, edge("x`]->() DETACH DELETE", "urn:li:tag:a", "tag", 6)), "not a relationship"},
		{"end of an edge", entity(catalogtest.Ada, key, edge("OwnedBy", "x", "tag", 6)), "invalid urn"},
		{"type of an end", entity(catalogtest.Ada, key, edge("OwnedBy", "urn:li:tag:a", "dataset", 6)), "is not a dataset"},
		{"ended first", entity(catalogtest.Ada, key, edge("OwnedBy", "urn:li:tag:a", "tag", 4)), "before it began"},
		{"values of what", `{"timeSeries":{"urn":"x","aspect":"datasetProfile","values":[]}}`, "invalid urn"},
		{"values of no series", `{"timeSeries":{"urn":"` + catalogtest.Ada + `","aspect":"status","values":[]}}`, "not a time-series aspect"},
		{"bad value", `{"timeSeries":{"urn":"` + catalogtest.Table + `","aspect":"datasetProfile","values":[{"value":{"rowCount":1}}]}}`, "timestampMillis"},
		{"values of nobody", `{"timeSeries":{"urn":"` + catalogtest.Table + `","aspect":"datasetProfile","values":[{"value":{"timestampMillis":1,"rowCount":1}}]}}`, "does not exist"},
	} {
		result := h.Imported(transfer.ImportOptions{}, []string{c.line})
		if len(result.Failures) != 1 || !strings.Contains(result.Failures[0].Message, c.says) || result.Entities+result.Values != 0 {
			t.Errorf("%s: %+v, want a failure that says %q", c.name, result, c.says)
		}
	}
	if len(h.Logged()) != 0 {
		t.Error("something was written")
	}
	i := h.Transfer.NewImport(transfer.ImportOptions{}, catalog.WriteOptions{})
	h.Want(catalog.Invalid, i.Add(context.Background(), &transfer.ExportLine{Header: &transfer.ExportHeader{Format: 99}}))
	h.Want(catalog.Invalid, i.Add(context.Background(), &transfer.ExportLine{}))
	twice := h.Imported(transfer.ImportOptions{}, []string{entity(catalogtest.Ada, key, ""), entity(catalogtest.Ada, key, "")})
	if twice.Entities != 1 || len(twice.Failures) != 1 {
		t.Errorf("an entity twice: %+v", twice)
	}
	h.Store.FailCommit = graphstore.ErrUnavailable
	i = h.Transfer.NewImport(transfer.ImportOptions{Replace: true}, catalog.WriteOptions{})
	var line transfer.ExportLine
	if err := json.Unmarshal([]byte(entity(catalogtest.Ada, version("status", `{"removed":true}`, "")+","+key, "")), &line); err != nil {
		t.Fatal(err)
	}
	h.Want("", i.Add(context.Background(), &line))
	_, err := i.Finish(context.Background())
	h.Want(catalog.Unavailable, err)
	h.Store.FailCommit = nil
	if h.Value(catalogtest.Ada, "corpUserKey", 0) == "" || h.Value(catalogtest.Ada, "status", 0) != "" {
		t.Error("an import that failed changed something")
	}
}

// TestImportOfLongURNs: the ends of imported edges, and actors, may be as long as in other
// writes, and no longer.
func TestImportOfLongURNs(t *testing.T) {
	key := `{"aspect":"datasetKey","seq":1,"latest":true,"value":{"platform":"urn:li:dataPlatform:hive","name":"db.Orders","origin":"PROD"},"createdOn":1,"createdBy":"$by","systemMetadata":{"lastObserved":1}}`
	edge := `{"aspect":"upstreamLineage","path":"p","type":"DownstreamOf","source":"$from","sourceType":"$type","destination":"$to","destinationType":"$type","since":1,"sinceActor":"$actor"}`
	column := func(n int) string {
		return "urn:li:schemaField:(" + catalogtest.Upstream + "," + strings.Repeat("c", n) + ")"
	}
	dataset := func(n int) string {
		return "urn:li:dataset:(urn:li:dataPlatform:hive," + strings.Repeat("d", n) + ",PROD)"
	}
	for name, c := range map[string]struct {
		by, from, to, kind, actor string
		refused                   bool
	}{
		"short":         {"urn:li:corpuser:a", catalogtest.Table, catalogtest.Upstream, "dataset", "urn:li:corpuser:a", false},
		"a long column": {"urn:li:corpuser:a", column(9), column(3000), "schemaField", "urn:li:corpuser:a", false},
		"column":        {"urn:li:corpuser:a", column(9), column(5000), "schemaField", "urn:li:corpuser:a", true},
		"source":        {"urn:li:corpuser:a", column(5000), column(9), "schemaField", "urn:li:corpuser:a", true},
		"destination":   {"urn:li:corpuser:a", catalogtest.Table, dataset(600), "dataset", "urn:li:corpuser:a", true},
		"actor":         {"urn:li:corpuser:a", catalogtest.Table, catalogtest.Upstream, "dataset", "urn:li:corpuser:" + strings.Repeat("a", 600), true},
		"writer":        {"urn:li:corpuser:" + strings.Repeat("a", 600), catalogtest.Table, catalogtest.Upstream, "dataset", "urn:li:corpuser:a", true},
	} {
		h := catalogtest.NewHarness(t)
		text := `{"entity":{"urn":"` + catalogtest.Table + `","versions":[` + key + `],"edges":[` + edge + `]}}`
		text = strings.NewReplacer("$by", c.by, "$from", c.from, "$to", c.to, "$type", c.kind, "$actor", c.actor).Replace(text)
		result := h.Imported(transfer.ImportOptions{}, []string{text})
		if (len(result.Failures) > 0) != c.refused {
			t.Errorf("%s: %.300v", name, result.Failures)
		}
		if exists, err := h.Exists(context.Background(), catalogtest.URN(catalogtest.Table)); err != nil || exists == c.refused {
			t.Errorf("%s: written %t, %v", name, exists, err)
		}
	}
}

// TestExportsAreBounded: one export more than may run at once is refused. When an export ends,
// another may begin.
func TestExportsAreBounded(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Put("", write.Upsert, catalogtest.Table, "datasetProperties", `{"description":"d"}`)
	release, running := make(chan struct{}), make(chan struct{}, limits.Exports)
	var exports sync.WaitGroup
	for range limits.Exports {
		exports.Go(func() {
			begun := false
			if err := h.Transfer.Export(t.Context(), func(*transfer.ExportLine) error {
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
	if err := h.Transfer.Export(short, func(*transfer.ExportLine) error { return nil }); catalog.CodeOf(err) != catalog.Busy {
		t.Errorf("one more: %v", err)
	}
	close(release)
	exports.Wait()
	if err := h.Transfer.Export(t.Context(), func(*transfer.ExportLine) error { return nil }); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
