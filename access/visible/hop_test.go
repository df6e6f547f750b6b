package visible_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/access/visible"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testseed"
)

// notHidden lets piet see all but the datasets whose names begin with hidden.
var notHidden = []policies.Policy{allow(), deny(criterion("URN", policies.StartsWith, "urn:li:dataset:(urn:li:dataPlatform:hive,hidden"))}

// shown are the rooms over the catalog as piet sees it.
func (s *seen) shown() *services.Services {
	return services.New(services.Options{Store: s.Store, Now: s.Now, Shown: services.Shown{Store: s.store, Index: s.index, Changes: s.store.Shown}})
}

// told lists the entities that a walk reached, by degree; restricted steps are without names.
func told(reached []lineage.Reached) map[int][]string {
	by := map[int][]string{}
	for _, r := range reached {
		urn := r.URN
		if visible.IsRestricted(urn) {
			urn = "restricted"
		}
		by[r.Degree] = append(by[r.Degree], urn)
	}
	for degree := range by {
		slices.Sort(by[degree])
	}
	return by
}

// TestWalkByHops: a walk gives the same answer with a window that contains all edges, with siblings where
// none exist, and at a moment at which nothing was different.
func TestWalkByHops(t *testing.T) {
	for _, name := range chosenSets(t) {
		t.Run(name, func(t *testing.T) {
			s := see(t, things(testseed.Rand(t, 0), 20), policySets[name])
			rooms := s.shown()
			for _, from := range s.all {
				if typeOf(from.urn) != "dataset" {
					continue
				}
				for _, direction := range []string{lineage.Downstream, lineage.Upstream} {
					q := lineage.WalkQuery{URN: catalogtest.URN(from.urn), Direction: direction}
					want, err := rooms.Lineage.Walk(s.ctx, q)
					if err != nil {
						t.Fatal(err)
					}
					for _, by := range []func(){func() { q.From = 1 }, func() { q.From, q.MergeSiblings = 0, true }, func() { q.MergeSiblings, q.AsOf = false, s.Now().Add(time.Hour).UnixMilli() }} {
						by()
						got, err := rooms.Lineage.Walk(s.ctx, q)
						if err != nil {
							t.Fatal(err)
						}
						if !reflect.DeepEqual(told(got.Reached), told(want.Reached)) {
							t.Errorf("%s of %s: %v, want %v", direction, from.urn, told(got.Reached), told(want.Reached))
						}
					}
				}
			}
		})
	}
}

// TestRestrictedHops: restricted steps are within the window, are not soft-deleted if the walk leaves out
// soft-deleted entities, and lead through siblings. Paths go over them, and over no other restricted steps.
func TestRestrictedHops(t *testing.T) {
	dataset := func(name string) string { return "urn:li:dataset:(urn:li:dataPlatform:hive," + name + ",PROD)" }
	h := catalogtest.NewSearchHarness(t)
	up := func(from string, at int64) string {
		return fmt.Sprintf(`{"dataset":%q,"type":"VIEW","auditStamp":{"time":%d,"actor":"urn:li:corpuser:nobody"}}`, dataset(from), at)
	}
	upstreams := func(of string, ups ...string) {
		h.Say(dataset(of), "upstreamLineage", `{"upstreams":[`+strings.Join(ups, ",")+`]}`)
	}
	upstream := func(of string, at int64, from string) { upstreams(of, up(from, at)) }
	// hidden1 leads from a to b; hidden2 to c, early; hidden3, which is gone, to d; hidden4, a sibling of a, to e;
	// hidden5 leads to nothing; hidden3 leads to f, and hidden1 does, early.
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "hidden1", "hidden2", "hidden3", "hidden4", "hidden5"} {
		h.Say(dataset(name), "datasetProperties", `{}`)
	}
	upstream("hidden1", 2000, "a")
	upstream("b", 2000, "hidden1")
	upstream("hidden2", 500, "a")
	upstream("c", 2000, "hidden2")
	upstream("hidden3", 2000, "a")
	upstream("d", 2000, "hidden3")
	upstream("e", 2000, "hidden4")
	upstreams("f", up("hidden1", 500), up("hidden3", 2000))
	upstream("hidden5", 2000, "a")
	h.Say(dataset("hidden3"), "status", `{"removed":true}`)
	h.Say(dataset("a"), "siblings", `{"siblings":["`+dataset("hidden4")+`"],"primary":true}`)
	s := &seen{SearchHarness: h, store: visible.NewStore(h.Store, h.Registry()), index: visible.NewIndex(h.Index, h.Store, h.Registry())}
	s.as(notHidden)
	rooms := s.shown()
	for name, c := range map[string]struct {
		change func(*lineage.WalkQuery)
		want   map[int][]string
	}{
		"a window":          {func(q *lineage.WalkQuery) { q.From = 1000 }, map[int][]string{1: {"restricted", "restricted"}, 2: {dataset("b"), dataset("d"), dataset("f")}}},
		"an early window":   {func(q *lineage.WalkQuery) { q.From, q.To = 100, 3000 }, map[int][]string{1: {"restricted", "restricted", "restricted"}, 2: {dataset("b"), dataset("c"), dataset("d"), dataset("f")}}},
		"without removed":   {func(q *lineage.WalkQuery) { q.From, q.WithoutRemoved = 1000, true }, map[int][]string{1: {"restricted"}, 2: {dataset("b")}}},
		"siblings":          {func(q *lineage.WalkQuery) { q.From, q.MergeSiblings = 1000, true }, map[int][]string{1: {"restricted", "restricted", dataset("e")}, 2: {dataset("b"), dataset("d"), dataset("f")}}},
		"one hop":           {func(q *lineage.WalkQuery) { q.From, q.MaxHops = 1000, 1 }, map[int][]string{}},
		"as far as it goes": {func(q *lineage.WalkQuery) { q.From, q.Reach = 1000, 1 }, map[int][]string{1: {"restricted"}, 2: {dataset("b")}}},
	} {
		q := lineage.WalkQuery{URN: catalogtest.URN(dataset("a")), Direction: lineage.Downstream}
		c.change(&q)
		ctx := visible.With(context.Background(), s.permissions(notHidden))
		walk, err := rooms.Lineage.Walk(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		if got := told(walk.Reached); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		var ends []string
		for _, r := range walk.Reached {
			if !visible.IsRestricted(r.URN) {
				ends = append(ends, r.URN)
			}
		}
		paths, err := rooms.Lineage.Paths(ctx, walk, ends, 5)
		if err != nil {
			t.Fatal(err)
		}
		for _, end := range ends {
			want := 1
			if end == dataset("f") && q.To != 0 {
				want = 2
			}
			if len(paths[end]) != want || len(paths[end][0].URNs()) != 3 || !visible.IsRestricted(paths[end][0].URNs()[1]) {
				t.Errorf("%s: the paths to %s are %v", name, end, paths[end])
			}
		}
	}
	edges, err := s.store.Edges(s.ctx, graphstore.EdgeQuery{URNs: []string{dataset("a")}, Direction: graphstore.Incoming, Page: graphstore.Page{Count: 100}})
	if err != nil || edges[dataset("a")].Total != 0 {
		t.Errorf("what is no walk is told of %+v, %v", edges, err)
	}
}
