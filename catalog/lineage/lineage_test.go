package lineage_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/graphstore"
)

func equal(h *catalogtest.LineageHarness, what string, got, want []string) {
	h.T.Helper()
	if !slices.Equal(got, want) {
		h.T.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func TestTimeline(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	schema := func(fields ...string) {
		var list []string
		for _, f := range fields {
			list = append(list, `{"fieldPath":"`+f+`","nativeDataType":"x","type":{"type":{"com.linkedin.schema.StringType":{}}}}`)
		}
		h.Put("", catalog.Upsert, catalogtest.Table, "schemaMetadata", `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.Schemaless":{}},"fields":[`+strings.Join(list, ",")+`]}`)
		catalogtest.Past(t)
	}
	schema("a", "b")
	middle := catalogtest.Past(t)
	schema("a", "b", "c")
	h.Put("", catalog.Upsert, catalogtest.Table, "globalTags", `{"tags":[{"tag":"urn:li:tag:pii"}]}`)
	catalogtest.Past(t)
	schema("a", "c")
	h.Put("", catalog.Upsert, catalogtest.Table, "upstreamLineage", `{"upstreams":[{"dataset":"`+catalogtest.Upstream+`","type":"COPY"}]}`)
	catalogtest.Past(t)
	h.Put("", catalog.Upsert, catalogtest.Table, "upstreamLineage", `{"upstreams":[]}`)
	h.Put("", catalog.Upsert, catalogtest.Table, "datasetProperties", `{"description":"one"}`)
	catalogtest.Past(t)
	h.Put("", catalog.Upsert, catalogtest.Table, "datasetProperties", `{"description":"two"}`)
	tell := func(r history.TimelineRequest) []string {
		t.Helper()
		r.URN = catalogtest.Table
		found, err := h.History.Timeline(ctx, r)
		if err != nil {
			return []string{string(catalog.CodeOf(err))}
		}
		list := []string{}
		for _, tx := range found {
			for _, e := range tx.ChangeEvents {
				list = append(list, strings.TrimSuffix(tx.SemVer, "-computed")+" "+e.Category+" "+e.Description)
			}
		}
		return list
	}
	equal := func(what string, got, want []string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", what, got, want)
		}
	}
	equal("schema", tell(history.TimelineRequest{Categories: []string{"technical_schema"}}), []string{
		"0.0.0 TECHNICAL_SCHEMA Column a was added", "0.0.0 TECHNICAL_SCHEMA Column b was added", "0.1.0 TECHNICAL_SCHEMA Column c was added", "1.0.0 TECHNICAL_SCHEMA Column b was removed",
	})
	equal("since", tell(history.TimelineRequest{Categories: []string{"TECHNICAL_SCHEMA"}, Start: middle}), []string{
		"0.1.0 TECHNICAL_SCHEMA Column c was added", "1.0.0 TECHNICAL_SCHEMA Column b was removed",
	})
	equal("lineage and tags", tell(history.TimelineRequest{Categories: []string{"LINEAGE", "TAG"}}), []string{
		"0.1.0 TAG Tag urn:li:tag:pii was added", "0.2.0 LINEAGE Upstream " + catalogtest.Upstream + " was added", "0.3.0 LINEAGE Upstream " + catalogtest.Upstream + " was removed",
	})
	equal("documentation", tell(history.TimelineRequest{Categories: []string{"DOCUMENTATION"}}), []string{
		"0.1.0 DOCUMENTATION The description in datasetProperties was added: 'one'", "0.2.0 DOCUMENTATION The description in datasetProperties was changed from 'one' to 'two'",
	})
	equal("unknown", tell(history.TimelineRequest{Categories: []string{"WEATHER"}}), []string{"invalid"})
	equal("backwards", tell(history.TimelineRequest{Start: 9, End: 8}), []string{"invalid"})
	if all := tell(history.TimelineRequest{}); len(all) != 9 {
		t.Errorf("all: %q", all)
	}
	raw, err := h.History.Timeline(ctx, history.TimelineRequest{URN: catalogtest.Table, Categories: []string{"DOCUMENTATION"}, Raw: true})
	if err != nil || len(raw) != 2 || string(raw[1].RawDiff) != `[{"value":"two","op":"replace","path":"/datasetProperties/description"}]` ||
		raw[1].VersionStamp != "datasetProperties:0" || raw[0].VersionStamp != "datasetProperties:1" || raw[1].Actor != catalogtest.Ada {
		t.Errorf("raw: %s %v", catalogtest.MustJSON(t, raw), err)
	}
}

// TestWalkFailures: a store that is away or too slow is an error of its own.
func TestWalkFailures(t *testing.T) {
	h, ctx := catalogtest.NewLineageHarness(t), context.Background()
	for failure, want := range map[error]catalog.Code{graphstore.ErrUnavailable: catalog.Unavailable, graphstore.ErrImpatient: catalog.Timeout, context.DeadlineExceeded: catalog.Timeout} {
		h.Store.FailWalk = fmt.Errorf("test: %w", failure)
		for what, err := range map[string]error{
			"lineage": second(h.Lineage.Of(ctx, lineage.Request{Walk: lineage.WalkQuery{URN: catalogtest.RawTable, Direction: lineage.Downstream}, Count: 9})),
			"impact":  second(h.Lineage.Impact(ctx, lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: catalogtest.RawTable}})),
			"column":  second(h.Lineage.Impact(ctx, lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: catalogtest.ColumnOf(catalogtest.RawTable, "a")}})),
			"diff":    second(h.Lineage.Diff(ctx, lineage.DiffRequest{Walk: lineage.WalkQuery{URN: catalogtest.RawTable, Direction: lineage.Downstream}, Before: 5})),
		} {
			if catalog.CodeOf(err) != want {
				t.Errorf("%s when the store says %v: %v", what, failure, err)
			}
		}
	}
	h.Store.FailWalk = nil
	h.Store.CutWalk = graphstore.CutByTime
	page, err := h.Lineage.Of(ctx, lineage.Request{Walk: lineage.WalkQuery{URN: catalogtest.RawTable, Direction: lineage.Downstream}, Count: 9})
	if err != nil || !page.Partial || !strings.Contains(page.Reason, "longer") {
		t.Errorf("a walk cut by time: %+v %v", page, err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestManyEdges: an entity with more edges than are read at once is said to
// have them.
func TestManyEdges(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	const readers = catalog.MaxPage + 7
	var proposals []catalog.Proposal
	for i := range readers {
		proposals = append(proposals, catalog.Proposal{
			EntityType: "dataset", EntityURN: fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,hub.r%05d,PROD)", i), AspectName: "upstreamLineage",
			Aspect: &catalog.GenericAspect{ContentType: "application/json", Value: []byte(`{"upstreams":[{"dataset":"` + catalogtest.RawTable + `","type":"COPY"}]}`)},
		})
	}
	if _, err := h.IngestBatch(ctx, proposals, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	walk := lineage.WalkQuery{URN: catalogtest.RawTable, Direction: lineage.Downstream}
	whole, err := h.Lineage.Walk(ctx, walk)
	if err != nil || whole.Partial() || len(whole.Reached) != readers {
		t.Errorf("a walk in the store reaches %d, partial %v: %v", len(whole.Reached), whole.Partial(), err)
	}
	walk.MergeSiblings = true
	byHops, err := h.Lineage.Walk(ctx, walk)
	if err != nil || !byHops.Partial() || len(byHops.Reached) != catalog.MaxPage {
		t.Errorf("a walk by hops reaches %d, partial %v: %v", len(byHops.Reached), byHops.Partial(), err)
	}
	diff, err := h.Lineage.Diff(ctx, lineage.DiffRequest{Walk: lineage.WalkQuery{URN: catalogtest.RawTable, Direction: lineage.Downstream, Reach: lineage.MaxReport}, Before: 1})
	if err != nil || len(diff.Added) != readers || len(diff.EdgesAdded) != readers || diff.Partial {
		t.Errorf("a diff has %d entities and %d edges, partial %v: %v", len(diff.Added), len(diff.EdgesAdded), diff.Partial, err)
	}
}

// TestLongPaths: paths that together are too long are refused, and shown of
// fewer entities.
func TestLongPaths(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	const length = 700
	at := func(i int) string {
		return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,chain.d%04d,PROD)", i)
	}
	var proposals []catalog.Proposal
	for i := 1; i <= length; i++ {
		proposals = append(proposals, catalog.Proposal{
			EntityType: "dataset", EntityURN: at(i), AspectName: "upstreamLineage",
			Aspect: &catalog.GenericAspect{ContentType: "application/json", Value: []byte(`{"upstreams":[{"dataset":"` + at(i-1) + `","type":"COPY"}]}`)},
		})
	}
	if _, err := h.IngestBatch(ctx, proposals, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	walk := lineage.WalkQuery{URN: at(0), Direction: lineage.Downstream}
	if _, err := h.Lineage.Of(ctx, lineage.Request{Walk: walk, Count: length, Paths: 1}); catalog.CodeOf(err) != catalog.Invalid {
		t.Errorf("all paths: %v", err)
	}
	page, err := h.Lineage.Of(ctx, lineage.Request{Walk: walk, Start: length - 1, Count: 1, Paths: 1})
	if err != nil || len(page.Entities) != 1 || len(page.Entities[0].Paths[0]) != length+1 {
		t.Errorf("the longest path: %+v %v", page, err)
	}
}
