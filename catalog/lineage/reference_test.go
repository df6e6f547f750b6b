package lineage_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/neo4j"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testseed"
	"github.com/headwater-io/headwater/internal/testing/testsize"
	"github.com/headwater-io/headwater/model"
)

// TestWalksAgreeWithAspects writes random catalogs, changes them and deletes from them.
// TestWalksAgreeWithAspects compares walks, now and at past moments, between entities and
// between columns, with a plain walk over the lineage that the aspects stated.
func TestWalksAgreeWithAspects(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		graphs := testsize.Of(20, 500)
		if _, ok := store.(*neo4j.Store); ok {
			graphs = testsize.Of(5, 200)
		}
		walksAgree(t, store, graphs)
	})
}

// saidLineage has the lineage that the aspects of a graph state, by entity.
type saidLineage map[string]said

// said is the lineage that the aspects of one entity state.
type said struct {
	upstreams, outputs []string
	// columns are pairs of a column and a column from which it derives.
	columns [][2]string
}

// writtenGraph is one of the random catalogs with its past.
type writtenGraph struct {
	urns    []string
	now     saidLineage
	removed map[string]bool
	// moments has the stated lineage after each round of writes.
	moments []saidLineage
}

func walksAgree(t *testing.T, store graphstore.Store, count int) {
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	seed := testseed.Of(t)
	random := rand.New(rand.NewPCG(seed, 4))
	c := services.New(services.Options{Store: store, Now: testclock.Now})
	graphs := make([]*writtenGraph, count)
	for i := range graphs {
		graphs[i] = newWrittenGraph(fmt.Sprintf("%x_%d", seed, i)) // a unique name, because other tests may have written into the database
	}
	var times []int64
	for range 4 {
		for part := range slices.Chunk(graphs, 100) {
			var proposals []write.Proposal
			for _, g := range part {
				proposals = append(proposals, g.change(t, random)...)
			}
			result, err := c.IngestBatch(context.Background(), proposals, catalog.WriteOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range result {
				if r.Err != nil {
					t.Fatalf("%s of %s: %v", proposals[i].AspectName, proposals[i].EntityURN, r.Err)
				}
			}
		}
		times = append(times, catalogtest.Past(t))
		for _, g := range graphs {
			g.moments = append(g.moments, maps.Clone(g.now))
		}
	}
	for _, g := range graphs {
		for range 6 {
			g.compare(t, c, random, times)
		}
		if t.Failed() {
			return
		}
	}
}

func newWrittenGraph(name string) *writtenGraph {
	g := &writtenGraph{now: saidLineage{}, removed: map[string]bool{}}
	for i := range 5 {
		g.urns = append(g.urns, fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,%s.t%d,PROD)", name, i))
	}
	g.urns = append(g.urns, fmt.Sprintf("urn:li:dataJob:(urn:li:dataFlow:(airflow,%s,PROD),j1)", name), fmt.Sprintf("urn:li:dataJob:(urn:li:dataFlow:(airflow,%s,PROD),j2)", name),
		fmt.Sprintf("urn:li:chart:(looker,%s)", name), fmt.Sprintf("urn:li:dashboard:(looker,%s)", name))
	return g
}

// some picks up to three entities of a type.
func (g *writtenGraph) some(random *rand.Rand, entityType string) []string {
	var picked []string
	for _, urn := range g.urns {
		if model.StoredURN(urn).EntityType() == entityType && len(picked) < 3 && random.IntN(3) == 0 {
			picked = append(picked, urn)
		}
	}
	return picked
}

// change makes the proposals of one round, and records the lineage that they state.
func (g *writtenGraph) change(t *testing.T, random *rand.Rand) []write.Proposal {
	var proposals []write.Proposal
	say := func(urn, changeType, aspect string, value any) {
		text := catalogtest.MustJSON(t, value)
		proposals = append(proposals, write.Proposal{
			EntityType: model.StoredURN(urn).EntityType(), EntityURN: urn, ChangeType: changeType, AspectName: aspect,
			Aspect: &write.GenericAspect{ContentType: "application/json", Value: []byte(text)},
		})
	}
	for _, urn := range g.urns {
		switch random.IntN(8) {
		case 0:
			g.removed[urn] = random.IntN(2) == 0
			say(urn, write.Upsert, "status", map[string]any{"removed": g.removed[urn]})
		case 1:
			if _, written := g.now[urn]; !written {
				continue
			}
			// A hard delete also deletes the past.
			entity, _ := model.Default().Entity(model.StoredURN(urn).EntityType())
			say(urn, write.Delete, entity.KeyAspect, map[string]any{})
			proposals[len(proposals)-1].Aspect = nil
			delete(g.now, urn)
			delete(g.removed, urn)
			for _, moment := range g.moments {
				delete(moment, urn)
			}
		case 2, 3, 4, 5:
			g.now[urn] = g.state(random, urn, func(aspect string, value any) { say(urn, write.Upsert, aspect, value) })
		}
	}
	return proposals
}

// state makes up the lineage that an entity states.
func (g *writtenGraph) state(random *rand.Rand, urn string, say func(aspect string, value any)) said {
	type object = map[string]any
	stamp := object{"time": 1, "actor": catalogtest.Ada}
	var s said
	var fine []object
	pair := func(down, up string) {
		s.columns = append(s.columns, [2]string{down, up})
		fine = append(fine, object{"upstreamType": "FIELD_SET", "upstreams": []string{up}, "downstreamType": "FIELD", "downstreams": []string{down}, "confidenceScore": 1.0})
	}
	aColumn := func(table string) string { return catalogtest.ColumnOf(table, string(rune('a'+random.IntN(2)))) }
	s.upstreams = g.some(random, "dataset")
	switch model.StoredURN(urn).EntityType() {
	case "dataset":
		upstreams := []object{}
		for _, up := range s.upstreams {
			upstreams = append(upstreams, object{"dataset": up, "type": "COPY", "auditStamp": stamp})
			pair(aColumn(urn), aColumn(up))
		}
		say("upstreamLineage", object{"upstreams": upstreams, "fineGrainedLineages": orEmpty(fine)})
	case "dataJob":
		s.outputs = g.some(random, "dataset")
		for _, up := range s.upstreams {
			for _, down := range s.outputs {
				pair(aColumn(down), aColumn(up))
			}
		}
		jobs := g.some(random, "dataJob")
		say("dataJobInputOutput", object{
			"inputDatasets": orEmpty(s.upstreams), "outputDatasets": orEmpty(s.outputs), "inputDatajobs": orEmpty(jobs), "fineGrainedLineages": orEmpty(fine),
		})
		s.upstreams = append(s.upstreams, jobs...)
	case "chart":
		var inputs []object
		for _, up := range s.upstreams {
			inputs = append(inputs, object{"destinationUrn": up})
		}
		say("chartInfo", object{"title": "c", "description": "", "lastModified": object{"created": stamp, "lastModified": stamp}, "inputEdges": orEmpty(inputs)})
	case "dashboard":
		charts := g.some(random, "chart")
		say("dashboardInfo", object{
			"title": "d", "description": "", "lastModified": object{"created": stamp, "lastModified": stamp}, "charts": orEmpty(charts), "datasets": orEmpty(s.upstreams),
		})
		s.upstreams = append(s.upstreams, charts...)
	}
	return s
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// compare makes one random walk and compares it with the reference.
func (g *writtenGraph) compare(t *testing.T, c *services.Services, random *rand.Rand, times []int64) {
	t.Helper()
	q := lineage.WalkQuery{URN: catalogtest.URN(g.urns[random.IntN(len(g.urns))]), Direction: []string{lineage.Upstream, lineage.Downstream}[random.IntN(2)]}
	now := g.now
	if random.IntN(3) == 0 {
		at := random.IntN(len(times))
		q.AsOf, now = times[at], g.moments[at]
	}
	if random.IntN(3) == 0 {
		q.MaxHops = 1 + random.IntN(3)
	}
	if q.WithoutRemoved = random.IntN(4) == 0; random.IntN(3) == 0 {
		q.URN, q.WithoutRemoved = catalogtest.URN(catalogtest.ColumnOf(g.urns[random.IntN(5)], "a")), false
	}
	walk, err := c.Lineage.Walk(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, r := range walk.Reached {
		got = append(got, fmt.Sprintf("%d %s", r.Degree, r.URN))
	}
	want, edges := now.walk(&q, g.removed)
	if !slices.Equal(got, want) {
		text, _ := json.Marshal(now)
		t.Errorf("%+v of %s removed %v:\n got %q\nwant %q", q, text, g.removed, got, want)
		return
	}
	g.comparePaths(t, c, walk, edges)
	g.compareGraph(t, c, now, &q)
}

// compareGraph checks a graph around the start of a walk, in both directions: all edges between
// its nodes, and the number of neighbours of each node.
func (g *writtenGraph) compareGraph(t *testing.T, c *services.Services, now saidLineage, q *lineage.WalkQuery) {
	t.Helper()
	graph, err := c.Lineage.Graph(context.Background(), lineage.GraphRequest{URN: q.URN, Hops: q.MaxHops, AsOf: q.AsOf, Limit: 1000})
	if err != nil {
		if len(now) == 0 || catalog.CodeOf(err) == catalog.NotFound { // nothing may be known of the start yet
			return
		}
		t.Fatal(err)
	}
	degrees := map[string]int{q.URN.String(): 0}
	up, down := *q, *q
	up.Direction, down.Direction, up.WithoutRemoved, down.WithoutRemoved = lineage.Upstream, lineage.Downstream, false, false
	above, feeds := now.walk(&up, nil)
	below, _ := now.walk(&down, nil)
	for sign, reached := range map[int][]string{-1: above, 1: below} {
		for _, line := range reached {
			var degree int
			var urn string
			if _, err := fmt.Sscan(line, &degree, &urn); err != nil {
				t.Fatal(err)
			}
			if was, known := degrees[urn]; !known || degree < max(was, -was) || degree == max(was, -was) && sign < 0 {
				degrees[urn] = sign * degree
			}
		}
	}
	neighbours := map[string][2]map[string]bool{}
	of := func(urn string) [2]map[string]bool {
		if _, ok := neighbours[urn]; !ok {
			neighbours[urn] = [2]map[string]bool{{}, {}}
		}
		return neighbours[urn]
	}
	wantEdges := map[string]bool{}
	for urn, ups := range feeds { // feeds has the upstream entities of each entity
		for _, from := range ups {
			of(urn)[0][from], of(from)[1][urn] = true, true
			if _, in := degrees[urn]; in {
				if _, in := degrees[from]; in {
					wantEdges[from+" to "+urn] = true
				}
			}
		}
	}
	want, got := map[string]string{}, map[string]string{}
	for urn, degree := range degrees {
		want[urn] = fmt.Sprintf("%d, fed by %d, feeds %d", degree, len(of(urn)[0]), len(of(urn)[1]))
	}
	for _, n := range graph.Nodes {
		got[n.URN] = fmt.Sprintf("%d, fed by %d, feeds %d", n.Degree, n.Upstreams, n.Downstreams)
	}
	gotEdges := map[string]bool{}
	for _, e := range graph.Edges {
		gotEdges[e.Upstream+" to "+e.Downstream] = true
	}
	if !maps.Equal(got, want) || !maps.Equal(gotEdges, wantEdges) || graph.Total != len(want) || graph.Partial {
		text, _ := json.Marshal(now)
		t.Errorf("a graph of %s, hops %d, as of %d, in %s:\n got %v\nwant %v\n got %v\nwant %v", q.URN, q.MaxHops, q.AsOf, text, got, want, gotEdges, wantEdges)
	}
}

// comparePaths checks that every returned path exists and is a shortest one.
func (g *writtenGraph) comparePaths(t *testing.T, c *services.Services, walk *lineage.Walk, edges map[string][]string) {
	t.Helper()
	var urns []string
	for _, r := range walk.Reached {
		urns = append(urns, r.URN)
	}
	paths, err := c.Lineage.Paths(context.Background(), walk, urns, 3)
	if err != nil {
		t.Fatal(err)
	}
	sameAsByEdges(t, c, walk, urns)
	for _, r := range walk.Reached {
		if len(paths[r.URN]) == 0 {
			t.Errorf("no path to %s", r.URN)
		}
		for _, p := range paths[r.URN] {
			way := p.URNs()
			if len(way) != r.Degree+1 || way[0] != walk.Query.URN.String() || way[r.Degree] != r.URN {
				t.Errorf("a path to %s at %d: %q", r.URN, r.Degree, way)
			}
			for i := 1; i < len(way); i++ {
				if !slices.Contains(edges[way[i-1]], way[i]) {
					t.Errorf("there is no edge from %s to %s", way[i-1], way[i])
				}
			}
		}
	}
}

// sameAsByEdges compares paths and edges with the paths and edges found from all edges of each
// entity on the way.
func sameAsByEdges(t *testing.T, c *services.Services, walk *lineage.Walk, urns []string) {
	t.Helper()
	ctx := context.Background()
	for _, most := range []int{1, 3} {
		want, err := c.Lineage.PathsByEdges(ctx, walk, urns, most)
		if err != nil {
			t.Fatal(err)
		}
		for _, eachHop := range []bool{false, true} {
			undo := func() {}
			if eachHop {
				undo = lineage.TraceEachHop()
			}
			got, err := c.Lineage.Paths(ctx, walk, urns, most)
			undo()
			if a, b := catalogtest.MustJSON(t, got), catalogtest.MustJSON(t, want); err != nil || a != b {
				t.Errorf("%+v, %d paths, hop by hop %v: %v\n got %s\nwant %s", walk.Query, most, eachHop, err, a, b)
			}
		}
	}
	want, err := c.Lineage.EdgesByEdges(ctx, walk, urns)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Lineage.EdgesWithin(ctx, walk, urns)
	if a, b := catalogtest.MustJSON(t, got), catalogtest.MustJSON(t, want); err != nil || a != b {
		t.Errorf("%+v, edges: %v\n got %s\nwant %s", walk.Query, err, a, b)
	}
}

// walk is the reference: a breadth-first search over the lineage that the aspects state.
func (s saidLineage) walk(q *lineage.WalkQuery, removed map[string]bool) (reached []string, next map[string][]string) {
	next = map[string][]string{}
	add := func(down, up string) {
		if q.Direction == lineage.Upstream {
			next[down] = append(next[down], up)
		} else {
			next[up] = append(next[up], down)
		}
	}
	for urn, one := range s {
		if q.URN.EntityType() == model.EntitySchemaField {
			for _, pair := range one.columns {
				add(pair[0], pair[1])
			}
			continue
		}
		for _, up := range one.upstreams {
			add(urn, up)
		}
		for _, output := range one.outputs {
			add(output, urn)
		}
	}
	reached = []string{}
	seen := map[string]bool{q.URN.String(): true}
	frontier := []string{q.URN.String()}
	for degree := 1; len(frontier) > 0 && (q.MaxHops == 0 || degree <= q.MaxHops); degree++ {
		var found []string
		for _, from := range frontier {
			for _, to := range next[from] {
				if !seen[to] && (!q.WithoutRemoved || !removed[to]) {
					seen[to] = true
					found = append(found, to)
				}
			}
		}
		slices.SortFunc(found, func(a, b string) int { return cmp.Compare(a, b) })
		for _, urn := range found {
			reached = append(reached, fmt.Sprintf("%d %s", degree, urn))
		}
		frontier = found
	}
	return reached, next
}
