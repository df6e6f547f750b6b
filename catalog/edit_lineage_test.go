package catalog

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

// countedCalls counts what an edit asks of a store.
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

// TestEditLineageCalls: edges that are drawn together are checked together, and
// too many of them before anything is asked of the store.
func TestEditLineageCalls(t *testing.T) {
	h := newHarness(t)
	ctx := context.Background()
	table := func(n int) string { return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,t%02d,PROD)", n) }
	for n := range 51 {
		h.say(table(n), "status", `{"removed":false}`)
	}
	store := &countedCalls{Store: h.store}
	c := New(Options{Store: store})
	edges := func(n int) []LineageEdge {
		list := make([]LineageEdge, n)
		for i := range list {
			list[i] = LineageEdge{Upstream: table(1 + i%50), Downstream: table(0)}
		}
		return list
	}
	calls := func(n int) int64 {
		before := store.calls.Load()
		if err := c.EditLineage(ctx, edges(n), nil, WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		return store.calls.Load() - before
	}
	if few, many := calls(5), calls(50); few != many {
		t.Errorf("%d calls to the store for 5 edges, %d for 50", few, many)
	}
	if got := len(h.neighbours("OUTGOING", table(0), "DownstreamOf")); got != 50 {
		t.Errorf("%d edges were drawn, want 50", got)
	}
	before := store.calls.Load()
	err := c.EditLineage(ctx, edges(maxEdits), edges(1), WriteOptions{})
	if CodeOf(err) != Invalid || !strings.Contains(MessageOf(err), fmt.Sprint(maxEdits)) || store.calls.Load() != before {
		t.Errorf("%d calls to the store for too many edges: %v", store.calls.Load()-before, err)
	}
	missing := append(edges(3), LineageEdge{Upstream: table(99), Downstream: table(0)})
	if err := c.EditLineage(ctx, missing, nil, WriteOptions{}); CodeOf(err) != Invalid || !strings.Contains(err.Error(), "upstream urn "+table(99)) {
		t.Errorf("an end that is not there: %v", err)
	}
}
