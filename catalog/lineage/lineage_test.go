package lineage_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
)

// TestWalkFailures: an unavailable store and a slow store have errors of their own.
func TestWalkFailures(t *testing.T) {
	h, ctx := catalogtest.NewLineageHarness(t), context.Background()
	for failure, want := range map[error]catalog.Code{graphstore.ErrUnavailable: catalog.Unavailable, graphstore.ErrImpatient: catalog.Timeout, context.DeadlineExceeded: catalog.Timeout} {
		h.Store.FailWalk = fmt.Errorf("test: %w", failure)
		for what, err := range map[string]error{
			"lineage": second(h.Lineage.Of(ctx, lineage.Request{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable), Direction: lineage.Downstream}, Count: 9})),
			"impact":  second(h.Lineage.Impact(ctx, lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable)}})),
			"column":  second(h.Lineage.Impact(ctx, lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.ColumnOf(catalogtest.RawTable, "a"))}})),
			"diff":    second(h.Lineage.Diff(ctx, lineage.DiffRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable), Direction: lineage.Downstream}, Before: 5})),
		} {
			if catalog.CodeOf(err) != want {
				t.Errorf("%s when the store says %v: %v", what, failure, err)
			}
		}
	}
	h.Store.FailWalk = nil
	h.Store.CutWalk = graphstore.CutByTime
	page, err := h.Lineage.Of(ctx, lineage.Request{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable), Direction: lineage.Downstream}, Count: 9})
	if err != nil || !page.Partial || !strings.Contains(page.Reason, "longer") {
		t.Errorf("a walk cut by time: %+v %v", page, err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestManyEdges: a walk in the store follows all edges of an entity with more edges than are
// read at once. A walk by hops follows as many as are read at once, and is partial.
func TestManyEdges(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	const readers = catalog.MaxPage + 7
	var proposals []write.Proposal
	for i := range readers {
		proposals = append(proposals, write.Proposal{
			EntityType: "dataset", EntityURN: fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,hub.r%05d,PROD)", i), AspectName: "upstreamLineage",
			Aspect: &write.GenericAspect{ContentType: "application/json", Value: []byte(`{"upstreams":[{"dataset":"` + catalogtest.RawTable + `","type":"COPY"}]}`)},
		})
	}
	if _, err := h.IngestBatch(ctx, proposals, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	walk := lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable), Direction: lineage.Downstream}
	whole, err := h.Lineage.Walk(ctx, walk)
	if err != nil || whole.Partial() || len(whole.Reached) != readers {
		t.Errorf("a walk in the store reaches %d, partial %v: %v", len(whole.Reached), whole.Partial(), err)
	}
	walk.MergeSiblings = true
	byHops, err := h.Lineage.Walk(ctx, walk)
	if err != nil || !byHops.Partial() || len(byHops.Reached) != catalog.MaxPage {
		t.Errorf("a walk by hops reaches %d, partial %v: %v", len(byHops.Reached), byHops.Partial(), err)
	}
	diff, err := h.Lineage.Diff(ctx, lineage.DiffRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable), Direction: lineage.Downstream, Reach: lineage.MaxReport}, Before: 1})
	if err != nil || len(diff.Added) != readers || len(diff.EdgesAdded) != readers || diff.Partial {
		t.Errorf("a diff has %d entities and %d edges, partial %v: %v", len(diff.Added), len(diff.EdgesAdded), diff.Partial, err)
	}
}

// TestLongPaths: paths that are too long together are refused; a request for fewer entities
// shows them.
func TestLongPaths(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	const length = 700
	at := func(i int) string {
		return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,chain.d%04d,PROD)", i)
	}
	var proposals []write.Proposal
	for i := 1; i <= length; i++ {
		proposals = append(proposals, write.Proposal{
			EntityType: "dataset", EntityURN: at(i), AspectName: "upstreamLineage",
			Aspect: &write.GenericAspect{ContentType: "application/json", Value: []byte(`{"upstreams":[{"dataset":"` + at(i-1) + `","type":"COPY"}]}`)},
		})
	}
	if _, err := h.IngestBatch(ctx, proposals, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	walk := lineage.WalkQuery{URN: catalogtest.URN(at(0)), Direction: lineage.Downstream}
	if _, err := h.Lineage.Of(ctx, lineage.Request{Walk: walk, Count: length, Paths: 1}); catalog.CodeOf(err) != catalog.Invalid {
		t.Errorf("all paths: %v", err)
	}
	page, err := h.Lineage.Of(ctx, lineage.Request{Walk: walk, Start: length - 1, Count: 1, Paths: 1})
	if err != nil || len(page.Entities) != 1 || len(page.Entities[0].Paths[0]) != length+1 {
		t.Errorf("the longest path: %+v %v", page, err)
	}
}
