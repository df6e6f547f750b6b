package lineage_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/graphstore"
)

// countedEdges is a store that counts the edges that are read.
type countedEdges struct {
	graphstore.Store
	edges atomic.Int64
}

func (s *countedEdges) Edges(ctx context.Context, q graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error) {
	found, err := s.Store.Edges(ctx, q)
	for _, page := range found {
		s.edges.Add(int64(len(page.Edges)))
	}
	return found, err
}

// TestWalkByHopsReadsWhatItMayReach: a walk with a small Reach reads few edges of a wide graph;
// a walk with a large Reach reaches all of it.
func TestWalkByHopsReadsWhatItMayReach(t *testing.T) {
	const middle, wide = 40, 150
	h := catalogtest.NewHarness(t)
	table := func(name string) string { return "urn:li:dataset:(urn:li:dataPlatform:hive," + name + ",PROD)" }
	upstreams := func(urns []string) string {
		type upstream struct {
			Dataset string `json:"dataset"`
			Type    string `json:"type"`
		}
		list := make([]upstream, len(urns))
		for i, urn := range urns {
			list[i] = upstream{urn, "TRANSFORMED"}
		}
		text, err := json.Marshal(map[string]any{"upstreams": list})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var first []string
	for m := range middle {
		first = append(first, table(fmt.Sprintf("middle%02d", m)))
		var sources []string
		for n := range wide {
			sources = append(sources, table(fmt.Sprintf("source%02d_%03d", m, n)))
		}
		h.Say(first[m], "upstreamLineage", upstreams(sources))
	}
	h.Say(table("start"), "upstreamLineage", upstreams(first))
	store := &countedEdges{Store: h.Store}
	c := services.New(services.Options{Store: store})
	for _, one := range []struct {
		reach, want int
		cut         graphstore.Cut
		most        int64
	}{
		{reach: 10, want: 10, cut: graphstore.CutByLimit, most: 11},
		{reach: middle + 10, want: middle + 10, cut: graphstore.CutByLimit, most: middle + 11*middle},
		{reach: 0, want: middle + middle*wide, most: middle + middle*(wide+lineage.HopEdges)},
	} {
		before := store.edges.Load()
		// A time window makes the walk read hop by hop.
		walk, err := c.Lineage.Walk(context.Background(), lineage.WalkQuery{URN: catalogtest.URN(table("start")), Direction: lineage.Upstream, Reach: one.reach, From: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(walk.Reached) != one.want || walk.CutNow() != one.cut {
			t.Errorf("reach %d: %d reached, want %d, cut %v", one.reach, len(walk.Reached), one.want, walk.CutNow())
		}
		if read := store.edges.Load() - before; read > one.most {
			t.Errorf("reach %d: %d edges were read, at most %d expected", one.reach, read, one.most)
		}
	}
}
