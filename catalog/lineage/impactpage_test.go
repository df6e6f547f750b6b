package lineage_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// reading is a store that counts the entities whose nodes and edges are read.
type reading struct {
	graphstore.Store
	nodes, edges int
}

func (r *reading) Entities(ctx context.Context, urns []string) ([]graphstore.Entity, error) {
	r.nodes += len(urns)
	return r.Store.Entities(ctx, urns)
}

func (r *reading) Edges(ctx context.Context, q graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error) {
	r.edges += len(q.URNs)
	return r.Store.Edges(ctx, q)
}

func nthReader(i int) string {
	return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,hub.r%05d,PROD)", i)
}

// readersOf writes tables that derive from a hub. The first 20 tables have one owner, and the
// tables from number limits.MaxOwnedImpact on have another owner.
func readersOf(t *testing.T, h *catalogtest.Harness, hub string, tables int) {
	t.Helper()
	var proposals []write.Proposal
	says := func(urn, aspect, value string) {
		proposals = append(proposals, write.Proposal{EntityType: "dataset", EntityURN: urn, AspectName: aspect, Aspect: &write.GenericAspect{ContentType: "application/json", Value: []byte(value)}})
	}
	columns := `[{"upstreamType":"FIELD_SET","upstreams":["` + catalogtest.ColumnOf(hub, "a") + `"],"downstreamType":"FIELD","downstreams":["` + catalogtest.ColumnOf(nthReader(0), "b") + `"]}]`
	for i := range tables {
		upstream := fmt.Sprintf(`{"upstreams":[{"dataset":%q,"type":"COPY"}]}`, hub)
		if i == 0 {
			upstream = strings.TrimSuffix(upstream, "}") + `,"fineGrainedLineages":` + columns + `}`
		}
		says(nthReader(i), "upstreamLineage", upstream)
		if i < 20 || i >= limits.MaxOwnedImpact {
			says(nthReader(i), "ownership", fmt.Sprintf(`{"owners":[{"owner":"urn:li:corpuser:u%d","type":"TECHNICAL_OWNER"}]}`, i/limits.MaxOwnedImpact))
		}
	}
	if _, err := h.IngestBatch(context.Background(), proposals, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// TestImpactPageOfAHub: a page of a large impact counts all entities and reads only the page.
// The owners are the owners of the nearest entities and of the entities of the page.
func TestImpactPageOfAHub(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	const tables = limits.MaxOwnedImpact + 30
	readersOf(t, h, catalogtest.RawTable, tables)
	store := &reading{Store: h.Store}
	c := services.New(services.Options{Store: store})
	column := lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.ColumnOf(catalogtest.RawTable, "a"))}}

	found, err := c.Lineage.ImpactPage(ctx, column, 5, 10, lineage.ImpactParts{Paths: true})
	if err != nil {
		t.Fatal(err)
	}
	if found.Impact.Total != tables || found.Certain != 1 || found.Possible != tables-1 || len(found.Rows) != 10 || found.Impact.Partial {
		t.Errorf("%d certain, %d possible of %d, %d rows, %s", found.Certain, found.Possible, found.Impact.Total, len(found.Rows), found.Impact.Reason)
	}
	for i := range found.Rows {
		if row := &found.Rows[i]; len(row.Path) != 2 || row.Path[0].URN != column.Walk.URN.String() || row.Path[1].URN != row.URN {
			t.Errorf("the way to %s: %+v", row.URN, row.Path)
		}
	}
	if store.nodes > 100 || store.edges > 100 {
		t.Errorf("for a page of 10, %d nodes are read and the edges of %d", store.nodes, store.edges)
	}

	first, err := c.Lineage.ImpactPage(ctx, column, 0, 10, lineage.ImpactParts{Owners: true})
	if err != nil || first.OwnersOf != limits.MaxOwnedImpact || len(first.Owners) != 2 || first.Owners[0].Count != 20 || first.Owners[1].URN != "" {
		t.Errorf("owners of %d: %d %v", first.OwnersOf, len(first.Owners), err)
	}
	last, err := c.Lineage.ImpactPage(ctx, column, tables-7, 10, lineage.ImpactParts{Owners: true})
	if err != nil || last.OwnersOf != limits.MaxOwnedImpact+7 || len(last.Owners) != 3 || last.Owners[1].URN != "urn:li:corpuser:u1" || last.Owners[1].Count != 7 {
		t.Errorf("owners of %d: %d %v", last.OwnersOf, len(last.Owners), err)
	}
}

// TestOwnersThatAreGroups: owners that are groups have addresses; an address that people edited
// is preferred.
func TestOwnersThatAreGroups(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Say("urn:li:corpGroup:stated", "corpGroupInfo", `{"email":"stated@example.com","admins":[],"members":[],"groups":[]}`)
	h.Say("urn:li:corpGroup:edited", "corpGroupInfo", `{"email":"old@example.com","admins":[],"members":[],"groups":[]}`)
	h.Say("urn:li:corpGroup:edited", "corpGroupEditableInfo", `{"email":"new@example.com"}`)
	h.Say(catalogtest.Table, "upstreamLineage", `{"upstreams":[{"dataset":"`+catalogtest.RawTable+`","type":"COPY"}]}`)
	h.Say(catalogtest.Table, "ownership", `{"owners":[{"owner":"urn:li:corpGroup:stated","type":"DATAOWNER"},{"owner":"urn:li:corpGroup:edited","type":"DATAOWNER"}]}`)
	impact, err := h.Lineage.Impact(context.Background(), lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable)}})
	if err != nil || len(impact.Owners) != 2 || impact.Owners[0].Email != "new@example.com" || impact.Owners[1].Email != "stated@example.com" {
		t.Errorf("%+v %v", impact, err)
	}
}

// TestDiffNodesAreBounded: a difference that is larger than an answer may be is read only up to
// the bound, and the answer says so.
func TestDiffNodesAreBounded(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	readersOf(t, h, catalogtest.RawTable, 300)
	defer lineage.BoundDiff(120, 150)()
	store := &reading{Store: h.Store}
	c := services.New(services.Options{Store: store})
	request := lineage.DiffRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable), Direction: lineage.Downstream}, Before: 1}
	found, err := c.Lineage.DiffNodes(ctx, request, lineage.DiffDetails{})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Added) != 120 || len(found.Diff.EdgesAdded) != 150 || !found.Diff.Partial || !strings.Contains(found.Diff.Reason, "more differences") {
		t.Errorf("%d added, %d edges, %q", len(found.Added), len(found.Diff.EdgesAdded), found.Diff.Reason)
	}
	plain := store.edges
	if _, err = c.Lineage.DiffNodes(ctx, request, lineage.DiffDetails{Added: lineage.Details{Labels: true, Neighbours: true}}); err != nil || store.edges-2*plain > 4*120 {
		t.Errorf("the edges of %d nodes are read for 120: %v", store.edges-2*plain, err)
	}
}

// TestImpactListsAPage: a page of an impact lists its entities and counts all. Entities that
// are only counted get no explanation.
func TestImpactListsAPage(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	const tables = 60
	readersOf(t, h, catalogtest.RawTable, tables)
	for _, request := range []lineage.ImpactRequest{
		{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable)}},
		{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.ColumnOf(catalogtest.RawTable, "a"))}},
	} {
		whole, err := h.Lineage.Impact(ctx, request)
		if err != nil || len(whole.Entities) != tables {
			t.Fatalf("%d entities: %v", len(whole.Entities), err)
		}
		for _, one := range []struct{ start, count, from, to int }{{0, 10, 0, 10}, {55, 10, 55, tables}, {tables + 1, 10, tables, tables}, {20, 0, 20, tables}} {
			request.Start, request.Count = one.start, one.count
			page, err := h.Lineage.Impact(ctx, request)
			if err != nil {
				t.Fatal(err)
			}
			want := *whole
			basis := *whole.Basis
			basis.At, want.Basis = page.Basis.At, &basis
			want.Entities, want.Start, want.Count = whole.Entities[one.from:one.to], one.start, one.to-one.from
			if got, want := catalogtest.MustJSON(t, page), catalogtest.MustJSON(t, want); got != want {
				t.Errorf("from %d, %d entities:\n got %s\nwant %s", one.start, one.count, got, want)
			}
		}
		request.Count = -1
		if _, err := h.Lineage.Impact(ctx, request); catalog.CodeOf(err) != catalog.Invalid {
			t.Errorf("a negative count: %v", err)
		}
	}
}

// hubEdges is a store that counts the edges that are read, of entities and of pairs.
type hubEdges struct {
	graphstore.Store
	edges, pairs int
}

func (r *hubEdges) Edges(ctx context.Context, q graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error) {
	found, err := r.Store.Edges(ctx, q)
	for _, page := range found {
		r.edges += len(page.Edges)
	}
	return found, err
}

func (r *hubEdges) EdgesBetween(ctx context.Context, q graphstore.PairQuery) (map[graphstore.Pair][]graphstore.Edge, error) {
	r.pairs += len(q.Pairs)
	return r.Store.EdgesBetween(ctx, q)
}

// TestPathsDoNotReadHubs: the paths and edges of an answer are read without the other edges of
// a hub on the way.
func TestPathsDoNotReadHubs(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	const tables = 400
	readersOf(t, h, catalogtest.RawTable, tables)
	for _, one := range []struct {
		start, direction string
		edges            int
	}{{nthReader(3), lineage.Upstream, 1}, {catalogtest.RawTable, lineage.Downstream, 10}} {
		store := &hubEdges{Store: h.Store}
		c := services.New(services.Options{Store: store})
		page, err := c.Lineage.Of(ctx, lineage.Request{Walk: lineage.WalkQuery{URN: catalogtest.URN(one.start), Direction: one.direction}, Count: 10, Paths: 1, Edges: true})
		if err != nil || len(page.Entities) != one.edges || len(page.Entities[0].Paths) != 1 || len(page.Edges) != one.edges {
			t.Fatalf("%+v %v", page, err)
		}
		if store.edges > 0 || store.pairs > 2*one.edges {
			t.Errorf("%s: %d edges of entities and %d of pairs are read for %d entities", one.direction, store.edges, store.pairs, one.edges)
		}
	}
}
