package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testseed"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// The kinds of edge in the graphs of the suite: a job consumes and produces datasets, and a
// dataset derives from datasets and has an owner.
var (
	derives  = graphstore.EdgeKind{Type: "DownstreamOf", SourceType: "dataset", DestinationType: "dataset"}
	produces = graphstore.EdgeKind{Type: "Produces", SourceType: "dataJob", DestinationType: "dataset"}
	consumes = graphstore.EdgeKind{Type: "Consumes", SourceType: "dataJob", DestinationType: "dataset"}
	owned    = graphstore.EdgeKind{Type: "OwnedBy", SourceType: "dataset", DestinationType: "corpuser"}
	// The relationship Consumes of a run is not part of the lineage.
	runs = graphstore.EdgeKind{Type: "Consumes", SourceType: "dataProcessInstance", DestinationType: "dataset"}
)

// Kinds has the kinds of edge of the suite, and Mirrored the kinds that lead downstream.
// RelationshipTypes has the type names of Kinds. Backends that need the kinds of a model are
// given these.
var (
	Kinds             = []graphstore.EdgeKind{derives, produces, consumes, owned, runs}
	Mirrored          = []graphstore.EdgeKind{produces}
	RelationshipTypes = []string{"DownstreamOf", "Produces", "Consumes", "OwnedBy"}
)

var (
	upstreamSteps = []graphstore.Step{
		{EdgeKind: derives}, {EdgeKind: consumes}, {EdgeKind: produces, Direction: graphstore.Incoming},
	}
	downstreamSteps = []graphstore.Step{
		{EdgeKind: derives, Direction: graphstore.Incoming}, {EdgeKind: consumes, Direction: graphstore.Incoming}, {EdgeKind: produces},
	}
)

// edgeOf returns source's own statement of an edge of a kind.
func edgeOf(kind graphstore.EdgeKind, source, destination, path string, since int64) graphstore.EdgeStatement {
	e := statement(source, kind.Type, destination, "lineage", path, since)
	e.SourceType, e.DestinationType = kind.SourceType, kind.DestinationType
	return e
}

func jobURN(n int) string {
	return fmt.Sprintf("urn:li:dataJob:(urn:li:dataFlow:(airflow,f,PROD),t%d)", n)
}

// none is an empty list that is not nil.
var none = []string{}

// visits returns the visits of a walk as lines of "degree urn", with the predecessor if it is
// known, and a line for the reason if the walk was cut.
func visits(t testing.TB, s graphstore.Store, q graphstore.WalkQuery) []string {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 10_000
	}
	walk, err := s.Walk(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	list := []string{}
	for _, v := range walk.Visits {
		line := fmt.Sprintf("%d %s", v.Degree, v.URN)
		if v.Before != "" {
			line += " from " + v.Before
		}
		if v.Others {
			line += " and others"
		}
		list = append(list, line)
	}
	if walk.Cut != graphstore.NotCut {
		list = append(list, "cut: "+string(walk.Cut))
	}
	return list
}

// writeWalked writes the lineage 0 ← 1 ← 3 ← 4 and 0 ← 2 ← 3, and a job that leads
// from 4 back to 0. writeWalked also writes edges that are not steps of the lineage.
func writeWalked(t *testing.T, s graphstore.Store, job, run, owner string) {
	t.Helper()
	for down, ups := range map[int][]int{1: {0}, 2: {0}, 3: {1, 2}, 4: {3}} {
		for _, up := range ups {
			addEdges(t, s, urn(down), edgeOf(derives, urn(down), urn(up), "p", 100))
		}
	}
	update(t, s, []string{job, run}, func(tx graphstore.Tx) error {
		return tx.Write(graphstore.Batch{
			Nodes: []graphstore.NodeUpdate{{URN: job, Type: "dataJob", Exists: true}, {URN: run, Type: "dataProcessInstance", Exists: true}},
			AddEdges: []graphstore.EdgeStatement{
				edgeOf(consumes, job, urn(4), "in", 100), edgeOf(produces, job, urn(0), "out", 100), edgeOf(produces, job, urn(0), "again", 100),
				edgeOf(runs, run, urn(0), "in", 100),
			},
		})
	})
	addEdges(t, s, urn(0), edgeOf(owned, urn(0), owner, "p", 100))
}

// testWalkAhead: a walk is right about the steps ahead, about who states edges and about who has owners, also after a
// write.
func testWalkAhead(t *testing.T, s graphstore.Store, job, run string) {
	byRuns := []graphstore.Step{{EdgeKind: runs, Direction: graphstore.Incoming}}
	told := func(q graphstore.WalkQuery, ends, unstated map[string]bool) {
		t.Helper()
		q.Limit = 100
		walk, err := s.Walk(context.Background(), q)
		if err != nil || len(walk.Visits) != len(ends) {
			t.Fatalf("%d visits, %v", len(walk.Visits), err)
		}
		for _, v := range walk.Visits {
			if v.Ends && !ends[v.URN] || v.Unstated && !unstated[v.URN] || v.URN == run && !v.Ends {
				t.Errorf("%s: ends %v, unstated %v", v.URN, v.Ends, v.Unstated)
			}
			if v.Lacks && (v.URN == urn(0) || q.Lacking != owned.Type) {
				t.Errorf("%s lacks %q", v.URN, q.Lacking)
			}
		}
	}
	ahead := [][]graphstore.Step{downstreamSteps, byRuns}
	from := func(n, hops int) graphstore.WalkQuery {
		return graphstore.WalkQuery{From: []string{urn(n), urn(99)}, Steps: downstreamSteps, MaxHops: hops, Ahead: ahead, StatedBy: []string{"dataJob"}, Lacking: owned.Type}
	}
	for range 2 { // the second time the edges are cached
		told(from(0, 1), map[string]bool{urn(1): false, urn(2): false}, map[string]bool{urn(1): true, urn(2): true})
		told(from(4, 1), map[string]bool{job: false}, nil)
		told(from(4, 2), map[string]bool{job: false, urn(0): false}, nil)
		unknown := from(4, 2)
		unknown.Lacking = "Unheard"
		told(unknown, map[string]bool{job: false, urn(0): false}, nil)
		visits(t, s, graphstore.WalkQuery{From: []string{run, urn(1)}, Steps: byRuns})
		told(graphstore.WalkQuery{From: []string{urn(0)}, Steps: byRuns, Ahead: [][]graphstore.Step{
			{{EdgeKind: derives, Direction: graphstore.Incoming}}, {{EdgeKind: owned}},
		}}, map[string]bool{run: true}, nil)
	}
	one := graphstore.WalkQuery{From: []string{urn(0)}, Steps: downstreamSteps, StatedBy: []string{"dataJob"}}
	told(one, map[string]bool{urn(1): false, urn(2): false, urn(3): false, urn(4): false, job: false}, map[string]bool{urn(1): true, urn(2): true, urn(3): true, urn(4): true})
}

func testWalk(t *testing.T, s graphstore.Store) {
	job, run, owner := jobURN(1), "urn:li:dataProcessInstance:r", "urn:li:corpuser:ada"
	writeWalked(t, s, job, run, owner)
	down := []string{"1 " + urn(1), "1 " + urn(2), "2 " + urn(3), "3 " + urn(4), "4 " + job}
	from := func(n int, q graphstore.WalkQuery) graphstore.WalkQuery {
		q.From = []string{urn(n)}
		return q
	}
	wantEqual(t, "downstream", visits(t, s, from(0, graphstore.WalkQuery{Steps: downstreamSteps})), down)
	wantEqual(t, "upstream", visits(t, s, from(0, graphstore.WalkQuery{Steps: upstreamSteps})),
		[]string{"1 " + job, "2 " + urn(4), "3 " + urn(3), "4 " + urn(1), "4 " + urn(2)})
	wantEqual(t, "two hops", visits(t, s, from(0, graphstore.WalkQuery{Steps: downstreamSteps, MaxHops: 2})), down[:3])
	wantEqual(t, "of one kind", visits(t, s, from(4, graphstore.WalkQuery{Steps: upstreamSteps[:1]})),
		[]string{"1 " + urn(3), "2 " + urn(1), "2 " + urn(2), "3 " + urn(0)})
	wantEqual(t, "limited", visits(t, s, from(0, graphstore.WalkQuery{Steps: downstreamSteps, Limit: 3})), append(slices.Clone(down[:3]), "cut: limit"))
	wantEqual(t, "limited to what there is", visits(t, s, from(0, graphstore.WalkQuery{Steps: downstreamSteps, Limit: 5})), down)
	wantEqual(t, "from two", visits(t, s, graphstore.WalkQuery{From: []string{urn(1), urn(4), urn(1)}, Steps: downstreamSteps, MaxHops: 2}),
		[]string{"1 " + job, "1 " + urn(3), "2 " + urn(0)})
	wantEqual(t, "with predecessors", visits(t, s, from(0, graphstore.WalkQuery{Steps: downstreamSteps, Before: true, MaxHops: 3})),
		[]string{"1 " + urn(1) + " from " + urn(0), "1 " + urn(2) + " from " + urn(0), "2 " + urn(3) + " from " + urn(1) + " and others", "3 " + urn(4) + " from " + urn(3)})
	wantEqual(t, "unknown", visits(t, s, from(99, graphstore.WalkQuery{Steps: downstreamSteps})), none)
	wantEqual(t, "of another type", visits(t, s, graphstore.WalkQuery{From: []string{owner}, Steps: downstreamSteps}), none)
	wantEqual(t, "no steps", visits(t, s, from(0, graphstore.WalkQuery{})), none)
	wantEqual(t, "runs too", visits(t, s, from(0, graphstore.WalkQuery{Steps: append(slices.Clone(downstreamSteps), graphstore.Step{EdgeKind: runs, Direction: graphstore.Incoming}), MaxHops: 1})),
		[]string{"1 " + run, "1 " + urn(1), "1 " + urn(2)})

	// The job consumes 4: an edge between types that the steps lead to, with a name that they follow, and itself no step.
	withoutJobs := []graphstore.Step{{EdgeKind: runs, Direction: graphstore.Incoming}, {EdgeKind: produces}}
	wantEqual(t, "an edge that is no step", visits(t, s, from(4, graphstore.WalkQuery{Steps: withoutJobs})), none)
	for _, before := range []bool{false, true} {
		walk := must[graphstore.Walk](t)(s.Walk(context.Background(), graphstore.WalkQuery{From: []string{job}, Steps: withoutJobs, Limit: 10, Before: before}))
		found := []string{}
		for _, v := range walk.Visits {
			found = append(found, fmt.Sprintf("%d %s", v.Degree, v.URN))
		}
		wantEqual(t, "beside it", found, []string{"1 " + urn(0), "2 " + run})
	}
	wantEqual(t, "an edge that is no step, with predecessors", visits(t, s, from(4, graphstore.WalkQuery{Steps: withoutJobs, Before: true})), none)

	t.Run("Ahead", func(t *testing.T) { testWalkAhead(t, s, job, run) })
	t.Run("Removed", func(t *testing.T) {
		removed := true
		write(t, s, []string{urn(3)}, graphstore.Batch{Nodes: []graphstore.NodeUpdate{{URN: urn(3), Type: "dataset", Exists: true, Removed: &removed}}})
		wantEqual(t, "through what is removed", visits(t, s, from(0, graphstore.WalkQuery{Steps: downstreamSteps})), down)
		wantEqual(t, "not through it", visits(t, s, from(0, graphstore.WalkQuery{Steps: downstreamSteps, WithoutRemoved: true})), down[:2])
		wantEqual(t, "from what is removed", visits(t, s, from(3, graphstore.WalkQuery{Steps: downstreamSteps, WithoutRemoved: true, MaxHops: 1})), []string{"1 " + urn(4)})
		walk := must[graphstore.Walk](t)(s.Walk(context.Background(), from(1, graphstore.WalkQuery{Steps: downstreamSteps, MaxHops: 1, Limit: 5})))
		wantEqual(t, "marks", walk.Visits, []graphstore.Visit{{URN: urn(3), Type: "dataset", Degree: 1, Exists: true, Removed: true}})
	})
	t.Run("AsOf", func(t *testing.T) {
		endEdge(t, s, edgeOf(derives, urn(3), urn(1), "p", 100), 200)
		endEdge(t, s, edgeOf(derives, urn(3), urn(2), "p", 100), 300)
		endEdge(t, s, edgeOf(produces, job, urn(0), "out", 100), 300)
		wantEqual(t, "now", visits(t, s, from(0, graphstore.WalkQuery{Steps: downstreamSteps})), down[:2])
		wantEqual(t, "before one ended", visits(t, s, from(0, graphstore.WalkQuery{Steps: downstreamSteps, AsOf: 299})), down)
		wantEqual(t, "when one had ended", visits(t, s, from(1, graphstore.WalkQuery{Steps: downstreamSteps, AsOf: 200})), none)
		wantEqual(t, "before there was any", visits(t, s, from(0, graphstore.WalkQuery{Steps: downstreamSteps, AsOf: 99})), none)
		wantEqual(t, "one statement of two is left", visits(t, s, from(0, graphstore.WalkQuery{Steps: upstreamSteps, MaxHops: 1})), []string{"1 " + job})
		endEdge(t, s, edgeOf(produces, job, urn(0), "again", 100), 400)
		wantEqual(t, "none is left", visits(t, s, from(0, graphstore.WalkQuery{Steps: upstreamSteps, MaxHops: 1})), none)
	})
	t.Run("Deleted", func(t *testing.T) {
		write(t, s, []string{job}, graphstore.Batch{AddEdges: []graphstore.EdgeStatement{edgeOf(produces, job, urn(2), "out", 500)}})
		wantEqual(t, "upstream", visits(t, s, from(2, graphstore.WalkQuery{Steps: upstreamSteps, MaxHops: 1})), []string{"1 " + job, "1 " + urn(0)})
		write(t, s, []string{job}, graphstore.Batch{DeleteEntities: []string{job}})
		wantEqual(t, "after", visits(t, s, from(2, graphstore.WalkQuery{Steps: upstreamSteps, MaxHops: 1})), []string{"1 " + urn(0)})
		if nodes := must[[]graphstore.Entity](t)(s.Entities(context.Background(), []string{job})); len(nodes) != 0 {
			t.Errorf("the job is still there: %+v", nodes)
		}
	})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Walk(ctx, from(0, graphstore.WalkQuery{Steps: downstreamSteps, Limit: 9})); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled walk: %v", err)
	}
}

// testWalkPatience: a long walk ends when its patience ends, with an error or with the visits
// of whole hops.
func testWalkPatience(t *testing.T, s graphstore.Store) {
	const layers, wide = 40, 60
	for layer := 1; layer < layers; layer++ {
		b := graphstore.Batch{}
		var urns []string
		for i := range wide {
			u := urn(layer*wide + i)
			urns = append(urns, u)
			b.Nodes = append(b.Nodes, node(u))
			for k := range 4 {
				b.AddEdges = append(b.AddEdges, edgeOf(derives, u, urn((layer-1)*wide+(i+k*7)%wide), "p", 1))
			}
		}
		write(t, s, urns, b)
	}
	for _, asOf := range []int64{0, 5} { // a store may walk the present in one statement and the past hop by hop
		q := graphstore.WalkQuery{From: []string{urn(0)}, Steps: downstreamSteps, Limit: 100_000, AsOf: asOf, Patience: time.Nanosecond}
		walk, err := s.Walk(context.Background(), q)
		switch {
		case errors.Is(err, graphstore.ErrImpatient):
		case err != nil:
			t.Errorf("as of %d: %v", asOf, err)
		case walk.Cut == graphstore.CutByTime:
			last := walk.Visits[len(walk.Visits)-1].Degree
			q.Patience, q.MaxHops = 0, last
			wantEqual(t, "the hops walked in time", walk.Visits, must[graphstore.Walk](t)(s.Walk(context.Background(), q)).Visits)
		default:
			// A server may check its clock too rarely to notice that the patience has ended. The walk is
			// then complete.
			q.Patience = 0
			wantEqual(t, "the whole walk", walk.Visits, must[graphstore.Walk](t)(s.Walk(context.Background(), q)).Visits)
		}
	}
}

// testWalkRandom compares the walks of the store with the walks of a simple reference over the
// statements. The graphs are many and small, with cycles, with several statements of one edge,
// and with a past.
func testWalkRandom(t *testing.T, s graphstore.Store) {
	seed := testseed.Of(t)
	random := rand.New(rand.NewPCG(seed, 2))
	const size, together = 9, 50
	graphs := testsize.Of(150, 1000)
	for first := 0; first < graphs; first += together {
		all := make([]randomGraph, together)
		for i := range all {
			all[i] = newRandomGraph(random, (first+i)*size, size)
		}
		writeGraphs(t, s, all)
		for i := range all {
			for range 4 {
				compareWalk(t, s, &all[i], random)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// randomGraph is a few datasets and jobs, and statements of edges between them. statements[i]
// is current from its Since until before until[i], or still current if until[i] is 0.
type randomGraph struct {
	urns, types []string
	removed     []bool
	statements  []graphstore.EdgeStatement
	until       []int64
}

func newRandomGraph(random *rand.Rand, offset, size int) randomGraph {
	var g randomGraph
	for i := range size {
		u, entityType := urn(offset+i), "dataset"
		if random.IntN(4) == 0 {
			u, entityType = jobURN(offset+i), "dataJob"
		}
		g.urns, g.types, g.removed = append(g.urns, u), append(g.types, entityType), append(g.removed, random.IntN(6) == 0)
	}
	seen := map[graphstore.EdgeID]bool{}
	for range random.IntN(3 * size) {
		a, b := random.IntN(size), random.IntN(size)
		var kind graphstore.EdgeKind
		switch {
		case g.types[a] == "dataset" && g.types[b] == "dataset":
			kind = derives
		case g.types[a] == "dataJob" && g.types[b] == "dataset":
			kind = []graphstore.EdgeKind{produces, consumes}[random.IntN(2)]
		default:
			continue
		}
		since := 10 + int64(random.IntN(90))
		e := edgeOf(kind, g.urns[a], g.urns[b], fmt.Sprint(random.IntN(2)), since)
		if seen[e.EdgeID] {
			continue
		}
		seen[e.EdgeID] = true
		if random.IntN(4) == 0 {
			e.Resumed, e.ResumedActor = since+int64(random.IntN(20)), actor
		}
		until := int64(0)
		if random.IntN(3) == 0 {
			until = since + 1 + int64(random.IntN(50))
		}
		g.statements, g.until = append(g.statements, e), append(g.until, until)
	}
	return g
}

func writeGraphs(t *testing.T, s graphstore.Store, graphs []randomGraph) {
	t.Helper()
	var b graphstore.Batch
	var urns []string
	for g := range graphs {
		for i, u := range graphs[g].urns {
			urns = append(urns, u)
			b.Nodes = append(b.Nodes, graphstore.NodeUpdate{URN: u, Type: graphs[g].types[i], Exists: true, Removed: &graphs[g].removed[i]})
		}
		b.AddEdges = append(b.AddEdges, graphs[g].statements...)
	}
	write(t, s, urns, b)
	var ends graphstore.Batch
	for g := range graphs {
		for i, until := range graphs[g].until {
			if until != 0 {
				ends.EndEdges = append(ends.EndEdges, graphstore.EdgeEnd{EdgeID: graphs[g].statements[i].EdgeID, Until: until})
			}
		}
	}
	write(t, s, urns, ends)
}

// compareWalk compares one random walk of the store with the walk of the reference.
func compareWalk(t *testing.T, s graphstore.Store, g *randomGraph, random *rand.Rand) {
	t.Helper()
	q := graphstore.WalkQuery{From: []string{g.urns[random.IntN(len(g.urns))]}, Steps: upstreamSteps, Limit: 1000}
	if random.IntN(2) == 0 {
		q.Steps = downstreamSteps
	}
	if random.IntN(3) == 0 {
		q.MaxHops = 1 + random.IntN(4)
	}
	if random.IntN(3) == 0 {
		q.AsOf = int64(random.IntN(160))
	}
	if random.IntN(5) == 0 {
		q.From = append(q.From, g.urns[random.IntN(len(g.urns))])
	}
	q.Before = random.IntN(2) == 0
	if q.WithoutRemoved = random.IntN(4) == 0; random.IntN(5) == 0 {
		q.Limit = 1 + random.IntN(3)
	}
	wantEqual(t, fmt.Sprintf("%+v of %+v until %v", q, g.statements, g.until), visits(t, s, q), g.walk(&q))
}

// walk returns the visits of the reference walk, which looks at every statement for each hop.
func (g *randomGraph) walk(q *graphstore.WalkQuery) []string {
	removed := map[string]bool{}
	for i, u := range g.urns {
		removed[u] = g.removed[i]
	}
	seen := map[string]bool{}
	for _, u := range q.From {
		seen[u] = true
	}
	var list []string
	frontier := q.From
	for degree := 1; len(frontier) > 0 && (q.MaxHops == 0 || degree <= q.MaxHops); degree++ {
		before := map[string][]string{}
		for i, e := range g.statements {
			if at := q.AsOf; at == 0 && g.until[i] != 0 || at != 0 && (e.CurrentSince() > at || g.until[i] != 0 && g.until[i] <= at) {
				continue
			}
			for _, step := range q.Steps {
				near, far := e.Source, e.Destination
				if step.Direction == graphstore.Incoming {
					near, far = far, near
				}
				kind := graphstore.EdgeKind{Type: e.Type, SourceType: e.SourceType, DestinationType: e.DestinationType}
				if kind == step.EdgeKind && slices.Contains(frontier, near) && !seen[far] && (!q.WithoutRemoved || !removed[far]) {
					before[far] = append(before[far], near)
				}
			}
		}
		next := slices.Sorted(maps.Keys(before))
		for _, u := range next {
			seen[u] = true
			if len(list) == q.Limit {
				return append(list, "cut: limit")
			}
			line := fmt.Sprintf("%d %s", degree, u)
			if q.Before {
				line += " from " + slices.Min(before[u])
				if slices.Min(before[u]) != slices.Max(before[u]) {
					line += " and others"
				}
			}
			list = append(list, line)
		}
		frontier = next
	}
	return list
}

// testWalkDuringWrites: during writes, a walk ends, visits each entity at most once, and visits
// every entity whose edges no write touches.
func testWalkDuringWrites(t *testing.T, s graphstore.Store) {
	const fixed = 12
	for i := 1; i < fixed; i++ {
		addEdges(t, s, urn(i), edgeOf(derives, urn(i), urn(i-1), "p", 1))
	}
	ctx, cancel := context.WithCancel(context.Background())
	var writers sync.WaitGroup
	for w := range 3 {
		writers.Go(func() {
			random := rand.New(rand.NewPCG(uint64(w), 3))
			for n := 0; ctx.Err() == nil; n++ {
				u := urn(100 + w)
				e := edgeOf(derives, u, urn(random.IntN(fixed)), "w", 1)
				back := edgeOf(derives, urn(random.IntN(fixed)), u, "w", 1)
				back.Owner = u
				err := s.Update(ctx, []string{u}, func(tx graphstore.Tx) error {
					return tx.Write(graphstore.Batch{Nodes: []graphstore.NodeUpdate{node(u)}, AddEdges: []graphstore.EdgeStatement{e, back}})
				})
				if err == nil {
					err = s.Update(ctx, []string{u}, func(tx graphstore.Tx) error {
						return tx.Write(graphstore.Batch{EndEdges: []graphstore.EdgeEnd{{EdgeID: e.EdgeID, Until: 2}, {EdgeID: back.EdgeID, Until: 2}}})
					})
				}
				if err != nil && ctx.Err() == nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 60 {
		walk := must[graphstore.Walk](t)(s.Walk(context.Background(), graphstore.WalkQuery{From: []string{urn(0)}, Steps: downstreamSteps, Limit: 1000}))
		seen := map[string]bool{}
		for _, v := range walk.Visits {
			if seen[v.URN] || v.URN == urn(0) {
				t.Errorf("%s is reached twice", v.URN)
			}
			seen[v.URN] = true
		}
		for i := 1; i < fixed; i++ {
			if !seen[urn(i)] {
				t.Errorf("%s is not reached", urn(i))
			}
		}
	}
	cancel()
	writers.Wait()
}

func testWithPrefix(t *testing.T, s graphstore.Store) {
	for _, u := range []string{"urn:li:tag:a", "urn:li:tag:ab", "urn:li:tag:abc", "urn:li:tag:b"} {
		update(t, s, []string{u}, func(tx graphstore.Tx) error {
			return tx.Write(graphstore.Batch{Nodes: []graphstore.NodeUpdate{{URN: u, Type: "tag", Exists: !strings.HasSuffix(u, "c")}}})
		})
	}
	ctx := context.Background()
	wantEqual(t, "prefix", must[[]string](t)(s.WithPrefix(ctx, "urn:li:tag:a", 9)), []string{"urn:li:tag:a", "urn:li:tag:ab", "urn:li:tag:abc"})
	wantEqual(t, "limited", must[[]string](t)(s.WithPrefix(ctx, "urn:li:tag:a", 2)), []string{"urn:li:tag:a", "urn:li:tag:ab"})
	wantEqual(t, "none", must[[]string](t)(s.WithPrefix(ctx, "urn:li:tag:%", 9)), none)
	wantEqual(t, "none wanted", must[[]string](t)(s.WithPrefix(ctx, "urn:li:tag:a", 0)), none)
	wantEqual(t, "a scan of nodes", must[[]string](t)(s.ScanNodes(ctx, "", 9)), []string{"urn:li:tag:a", "urn:li:tag:ab", "urn:li:tag:abc", "urn:li:tag:b"})
	wantEqual(t, "its next page", must[[]string](t)(s.ScanNodes(ctx, "urn:li:tag:a", 2)), []string{"urn:li:tag:ab", "urn:li:tag:abc"})
	wantEqual(t, "its end", must[[]string](t)(s.ScanNodes(ctx, "urn:li:tag:b", 2)), none)
	wantEqual(t, "a scan of no nodes", must[[]string](t)(s.ScanNodes(ctx, "", 0)), none)
}
