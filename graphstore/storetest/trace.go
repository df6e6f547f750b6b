package storetest

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testseed"
)

// testTrace compares Feeders, which finds the entities one hop away, and EdgesBetween, which
// finds the edges of pairs, with the edges of each entity, now and at a past moment. The graph
// is random, and some of its entities have many edges.
func testTrace(t *testing.T, s graphstore.Store) {
	seed := testseed.Of(t)
	random := rand.New(rand.NewPCG(seed, 5))
	const datasets, hubs = 260, 3
	all := []string{}
	job, run := jobURN(1), "urn:li:dataProcessInstance:r"
	for n := range datasets {
		all = append(all, urn(n))
		var list []graphstore.EdgeStatement
		for hub := range hubs {
			if n >= hubs && random.IntN(5) > 0 {
				list = append(list, edgeOf(derives, urn(n), urn(hub), "p", 100+int64(random.IntN(3))))
			}
			if n >= hubs && random.IntN(5) > 0 {
				e := edgeOf(derives, urn(hub), urn(n), "q", 100)
				e.Owner = urn(n)
				list = append(list, e)
			}
		}
		for range random.IntN(3) {
			other := random.IntN(datasets)
			list = append(list, edgeOf(derives, urn(n), urn(other), "r", 100), edgeOf(derives, urn(n), urn(other), "s", 90))
		}
		list = append(list, edgeOf(owned, urn(n), "urn:li:corpuser:ada", "o", 100))
		slices.SortFunc(list, func(a, b graphstore.EdgeStatement) int { return compareIDs(&a, &b) })
		list = slices.CompactFunc(list, func(a, b graphstore.EdgeStatement) bool { return a.EdgeID == b.EdgeID })
		addEdges(t, s, urn(n), list...)
		if n%4 == 0 {
			end := list[random.IntN(len(list))]
			update(t, s, []string{urn(n)}, func(tx graphstore.Tx) error {
				return tx.Write(graphstore.Batch{EndEdges: []graphstore.EdgeEnd{{EdgeID: end.EdgeID, Until: 200}}})
			})
		}
	}
	yes := true
	for n := 1; n < datasets; n += 5 {
		write(t, s, []string{urn(n)}, graphstore.Batch{Nodes: []graphstore.NodeUpdate{{URN: urn(n), Type: "dataset", Exists: true, Removed: &yes}}})
	}
	update(t, s, []string{job, run}, func(tx graphstore.Tx) error {
		return tx.Write(graphstore.Batch{
			Nodes: []graphstore.NodeUpdate{{URN: job, Type: "dataJob", Exists: true}, {URN: run, Type: "dataProcessInstance", Exists: true}},
			AddEdges: []graphstore.EdgeStatement{
				edgeOf(consumes, job, urn(4), "in", 100), edgeOf(produces, job, urn(0), "out", 100), edgeOf(runs, run, urn(0), "in", 100),
			},
		})
	})
	all = append(all, job, run, urn(datasets+1)) // the store knows nothing of the last URN
	for _, q := range []struct {
		steps []graphstore.Step
		asOf  int64
	}{{downstreamSteps, 0}, {upstreamSteps, 0}, {downstreamSteps, 150}, {upstreamSteps, 101}, {downstreamSteps, 50}} {
		for _, few := range []bool{false, true} {
			from, to := all, all
			if few {
				from, to = pick(random, all, 40), append(pick(random, all, 4), urn(0), job)
			}
			checkTrace(t, s, from, to, q.steps, q.asOf)
			checkFarEnds(t, s, from, q.asOf)
		}
	}
}

func pick(random *rand.Rand, urns []string, n int) []string {
	picked := make([]string, n)
	for i := range picked {
		picked[i] = urns[random.IntN(len(urns))]
	}
	return picked
}

func compareIDs(a, b *graphstore.EdgeStatement) int {
	return slices.Compare([]string{a.Source, a.Type, a.Destination, a.Path}, []string{b.Source, b.Type, b.Destination, b.Path})
}

// checkFarEnds compares the entities to which relationships of each type lead with the edges of
// each entity.
func checkFarEnds(t *testing.T, s graphstore.Store, from []string, asOf int64) {
	t.Helper()
	ctx := context.Background()
	for _, name := range []string{owned.Type, derives.Type, consumes.Type, "Nothing`)--() //"} {
		edges, err := s.Edges(ctx, graphstore.EdgeQuery{URNs: from, Types: []string{name}, AsOf: asOf, Page: graphstore.Page{Count: 10_000}})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string][]string{}
		for urn, page := range edges {
			for i := range page.Edges {
				want[urn] = append(want[urn], page.Edges[i].Destination)
			}
		}
		got, err := s.FarEnds(ctx, graphstore.EndQuery{URNs: from, Type: name, AsOf: asOf})
		if err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "far ends of "+name, got, want)
	}
	nodes, err := s.Entities(ctx, from)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for i := range nodes {
		if nodes[i].Removed {
			want[nodes[i].URN] = true
		}
	}
	got, err := s.RemovedAmong(ctx, append([]string{"urn:li:dataset:nothing"}, from...))
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "removed entities", got, want)
}

// checkTrace compares one hop of Feeders, and the edges of the pairs from EdgesBetween, with
// the edges of each entity.
func checkTrace(t *testing.T, s graphstore.Store, from, to []string, steps []graphstore.Step, asOf int64) {
	t.Helper()
	ctx := context.Background()
	want, edges := map[string][]string{}, map[graphstore.Pair][]graphstore.Edge{}
	var pairs []graphstore.Pair
	for _, direction := range []graphstore.Direction{graphstore.Outgoing, graphstore.Incoming} {
		var kinds []graphstore.EdgeKind
		for _, step := range steps {
			if step.Direction == direction {
				kinds = append(kinds, step.EdgeKind)
			}
		}
		found, err := s.Edges(ctx, graphstore.EdgeQuery{URNs: from, Direction: direction, Kinds: kinds, AsOf: asOf, Page: graphstore.Page{Count: 10_000}})
		if err != nil {
			t.Fatal(err)
		}
		for _, urn := range from {
			for _, e := range found[urn].Edges {
				other := e.Destination
				if direction == graphstore.Incoming {
					other = e.Source
				}
				if pair := (graphstore.Pair{From: urn, To: other}); slices.Contains(to, other) && !slices.ContainsFunc(edges[pair], func(k graphstore.Edge) bool { return k.Source == e.Source && k.Type == e.Type }) {
					edges[pair] = append(edges[pair], e)
				}
			}
		}
	}
	for i, near := range from {
		if slices.Index(from, near) != i {
			continue
		}
		for _, far := range to {
			pair := graphstore.Pair{From: near, To: far}
			if len(edges[pair]) > 0 && !slices.Contains(want[far], near) {
				want[far] = append(want[far], near)
			}
			pairs = append(pairs, pair)
		}
	}
	for _, most := range []int{0, 1, 3} {
		got, err := s.Feeders(ctx, graphstore.FeederQuery{From: from, To: to, Steps: steps, Most: most, AsOf: asOf})
		if err != nil {
			t.Fatal(err)
		}
		cut := map[string][]string{}
		for urn, feeders := range want {
			cut[urn] = feeders
			if most > 0 && len(feeders) > most {
				cut[urn] = feeders[:most]
			}
		}
		wantEqual(t, "what leads to entities", got, cut)
	}
	stated, err := s.Feeders(ctx, graphstore.FeederQuery{From: from, To: to, Steps: steps, AsOf: asOf, StatedBy: []string{"dataJob", "chart"}})
	if err != nil {
		t.Fatal(err)
	}
	byJobs := map[string][]string{}
	for far, feeders := range want {
		for _, near := range feeders {
			if slices.ContainsFunc(edges[graphstore.Pair{From: near, To: far}], func(e graphstore.Edge) bool {
				return slices.ContainsFunc(e.Owners, func(owner string) bool { return graphstore.TypeOf(owner) == "dataJob" })
			}) {
				byJobs[far] = append(byJobs[far], near)
			}
		}
	}
	wantEqual(t, "what leads to entities as jobs state", stated, byJobs)
	if len(pairs) > 5000 {
		pairs = pairs[:5000]
	}
	got, err := s.EdgesBetween(ctx, graphstore.PairQuery{Pairs: pairs, Steps: steps, AsOf: asOf})
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range pairs {
		a, _ := json.Marshal(got[pair])
		b, _ := json.Marshal(graphstore.MergePair(edges[pair]))
		if len(got[pair])+len(edges[pair]) > 0 && string(a) != string(b) {
			t.Fatalf("edges of %v:\n got %s\nwant %s", pair, a, b)
		}
	}
}
