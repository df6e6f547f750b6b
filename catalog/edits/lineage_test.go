package edits_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
)

// countedCalls counts the calls of an edit to a store.
type countedCalls struct {
	graphstore.Store
	calls atomic.Int64
}

func (s *countedCalls) Entities(ctx context.Context, urns []string) ([]graphstore.Entity, error) {
	s.calls.Add(1)
	return s.Store.Entities(ctx, urns)
}

func (s *countedCalls) LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error) {
	s.calls.Add(1)
	return s.Store.LatestAspects(ctx, urns, names)
}

func (s *countedCalls) Update(ctx context.Context, urns []string, fn func(graphstore.Tx) error) error {
	s.calls.Add(1)
	return s.Store.Update(ctx, urns, fn)
}

// TestEditLineageCalls: the edges of one edit are checked together. If there are too many, the
// edit is refused before any call to the store.
func TestEditLineageCalls(t *testing.T) {
	h := catalogtest.NewHarness(t)
	ctx := context.Background()
	table := func(n int) string { return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,t%02d,PROD)", n) }
	for n := range 51 {
		h.Say(table(n), "status", `{"removed":false}`)
	}
	store := &countedCalls{Store: h.Store}
	c := services.New(services.Options{Store: store})
	edges := func(n int) []edits.LineageEdge {
		list := make([]edits.LineageEdge, n)
		for i := range list {
			list[i] = edits.LineageEdge{Upstream: catalogtest.URN(table(1 + i%50)), Downstream: catalogtest.URN(table(0))}
		}
		return list
	}
	calls := func(n int) int64 {
		before := store.calls.Load()
		if err := c.Edits.EditLineage(ctx, edges(n), nil, catalog.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		return store.calls.Load() - before
	}
	if few, many := calls(5), calls(50); few != many {
		t.Errorf("%d calls to the store for 5 edges, %d for 50", few, many)
	}
	if got := len(h.Neighbours("OUTGOING", table(0), "DownstreamOf")); got != 50 {
		t.Errorf("%d edges were drawn, want 50", got)
	}
	before := store.calls.Load()
	err := c.Edits.EditLineage(ctx, edges(write.MaxEdits), edges(1), catalog.WriteOptions{})
	if catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(catalog.MessageOf(err), fmt.Sprint(write.MaxEdits)) || store.calls.Load() != before {
		t.Errorf("%d calls to the store for too many edges: %v", store.calls.Load()-before, err)
	}
	missing := append(edges(3), edits.LineageEdge{Upstream: catalogtest.URN(table(99)), Downstream: catalogtest.URN(table(0))})
	if err := c.Edits.EditLineage(ctx, missing, nil, catalog.WriteOptions{}); catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(err.Error(), "upstream urn "+table(99)) {
		t.Errorf("an end that is not there: %v", err)
	}
}
