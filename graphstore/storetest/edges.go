package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

func addEdges(t testing.TB, s graphstore.Store, owner string, statements ...graphstore.EdgeStatement) {
	t.Helper()
	write(t, s, []string{owner}, graphstore.Batch{Nodes: []graphstore.NodeUpdate{node(owner)}, AddEdges: statements})
}

func endEdge(t testing.TB, s graphstore.Store, e graphstore.EdgeStatement, until int64) {
	t.Helper()
	write(t, s, []string{e.Owner}, graphstore.Batch{EndEdges: []graphstore.EdgeEnd{{EdgeID: e.EdgeID, Until: until, UntilRun: "run2", UntilActor: actor}}})
}

func testEdges(t *testing.T, s graphstore.Store) {
	a, b, c := urn(1), urn(2), urn(3)
	addEdges(t, s, a, statement(a, "DownstreamOf", c, "upstreamLineage", "p", 1), statement(a, "DownstreamOf", b, "upstreamLineage", "p", 1),
		statement(a, "OwnedBy", b, "ownership", "q", 1))
	addEdges(t, s, b, statement(b, "DownstreamOf", c, "upstreamLineage", "p", 1))
	wantEqual(t, "out, every type", ends(t, s, graphstore.EdgeQuery{URNs: []string{a}}), []string{"DownstreamOf " + b, "DownstreamOf " + c, "OwnedBy " + b})
	wantEqual(t, "out, one type", ends(t, s, graphstore.EdgeQuery{URNs: []string{a}, Types: []string{"OwnedBy"}}), []string{"OwnedBy " + b})
	wantEqual(t, "out, two types", ends(t, s, graphstore.EdgeQuery{URNs: []string{a}, Types: []string{"OwnedBy", "DownstreamOf", "OwnedBy"}}), []string{"DownstreamOf " + b, "DownstreamOf " + c, "OwnedBy " + b})
	wantEqual(t, "in", ends(t, s, graphstore.EdgeQuery{URNs: []string{c}, Direction: graphstore.Incoming}), []string{"DownstreamOf " + a, "DownstreamOf " + b})
	wantEqual(t, "unknown type", ends(t, s, graphstore.EdgeQuery{URNs: []string{a}, Types: []string{"Nothing`)--() //"}}), []string{})
	wantEqual(t, "unknown entity", ends(t, s, graphstore.EdgeQuery{URNs: []string{urn(99)}}), []string{})
	page, total := edges(t, s, graphstore.EdgeQuery{URNs: []string{a}, Page: graphstore.Page{Start: 1, Count: 1}})
	if total != 3 || len(page) != 1 || page[0].Destination != c || page[0].Source != a {
		t.Errorf("page: %v of %d", page, total)
	}
	several := must[map[string]graphstore.EdgePage](t)(s.Edges(context.Background(), graphstore.EdgeQuery{
		URNs: []string{b, urn(99), a}, Types: []string{"DownstreamOf"}, Page: graphstore.Page{Count: 1},
	}))
	if len(several) != 3 || several[a].Total != 2 || several[b].Total != 1 || several[urn(99)].Total != 0 ||
		len(several[a].Edges) != 1 || several[a].Edges[0].Destination != b || len(several[b].Edges) != 1 || several[b].Edges[0].Source != b {
		t.Errorf("of several entities: %+v", several)
	}
	placeholder := must[[]graphstore.Entity](t)(s.Entities(context.Background(), []string{c}))
	if len(placeholder) != 1 || placeholder[0].Exists || placeholder[0].Type != "dataset" {
		t.Errorf("placeholder: %+v", placeholder)
	}
}

func testSameEdgeTwice(t *testing.T, s graphstore.Store) {
	a, b := urn(1), urn(2)
	one := statement(a, "Consumes", b, "inputs", "inputs/*", 5)
	two := statement(a, "Consumes", b, "inputs", "edges/*", 3)
	three := statement(a, "Consumes", b, "other", "x", 9)
	addEdges(t, s, a, one, two, three)
	found, total := edges(t, s, graphstore.EdgeQuery{URNs: []string{a}})
	if total != 1 || len(found) != 1 || found[0].Since != 3 {
		t.Errorf("three statements of one edge: %+v of %d", found, total)
	}
	endEdge(t, s, two, 20)
	endEdge(t, s, one, 21)
	if found, _ = edges(t, s, graphstore.EdgeQuery{URNs: []string{b}, Direction: graphstore.Incoming}); len(found) != 1 || found[0].Since != 9 {
		t.Errorf("with one statement left: %+v", found)
	}
	endEdge(t, s, three, 22)
	wantEqual(t, "with none left", ends(t, s, graphstore.EdgeQuery{URNs: []string{a}}), []string{})
}

func testAsOf(t *testing.T, s graphstore.Store) {
	a, b, c := urn(1), urn(2), urn(3)
	old := statement(a, "DownstreamOf", b, "upstreamLineage", "p", 100)
	addEdges(t, s, a, old)
	endEdge(t, s, old, 200)
	addEdges(t, s, a, statement(a, "DownstreamOf", c, "upstreamLineage", "p", 200))
	restated := old
	restated.Since = 300
	addEdges(t, s, a, restated)
	for _, k := range []struct {
		at   int64
		want []string
	}{
		{99, nil}, {100, []string{b}}, {199, []string{b}}, {200, []string{c}}, {299, []string{c}}, {300, []string{b, c}}, {0, []string{b, c}},
	} {
		want := []string{}
		for _, other := range k.want {
			want = append(want, "DownstreamOf "+other)
		}
		wantEqual(t, fmt.Sprintf("out as of %d", k.at), ends(t, s, graphstore.EdgeQuery{URNs: []string{a}, AsOf: k.at}), want)
		wantEqual(t, fmt.Sprintf("of one type as of %d", k.at), ends(t, s, graphstore.EdgeQuery{URNs: []string{a}, AsOf: k.at, Types: []string{"DownstreamOf"}}), want)
		wantEqual(t, fmt.Sprintf("of another type as of %d", k.at), ends(t, s, graphstore.EdgeQuery{URNs: []string{a}, AsOf: k.at, Types: []string{"OwnedBy"}}), []string{})
	}
	wantEqual(t, "in as of", ends(t, s, graphstore.EdgeQuery{URNs: []string{b}, Direction: graphstore.Incoming, AsOf: 150}), []string{"DownstreamOf " + a})
	ended, _ := edges(t, s, graphstore.EdgeQuery{URNs: []string{a}, AsOf: 150})
	if ended[0].Since != 100 || ended[0].Until != 200 || ended[0].SinceRun != "run" || ended[0].UntilRun != "run2" || ended[0].UntilActor != actor {
		t.Errorf("ended edge: %+v", ended)
	}
}

func testEdgeAttributes(t *testing.T, s graphstore.Store) {
	a, b := urn(1), urn(2)
	e := statement(a, "DownstreamOf", b, "upstreamLineage", "p", 5)
	e.EdgeAttributes = graphstore.EdgeAttributes{CreatedOn: 1, CreatedActor: "x", UpdatedOn: 2, UpdatedActor: "y", Properties: json.RawMessage(`{"source":"UI"}`), Via: "urn:li:query:q"}
	want := func(attributes graphstore.EdgeAttributes) []graphstore.Edge {
		return []graphstore.Edge{{
			Source: a, Type: "DownstreamOf", Destination: b, EdgeAttributes: attributes,
			Since: 5, SinceRun: "run", SinceActor: actor, Owners: []string{a},
		}}
	}
	addEdges(t, s, a, e)
	found, _ := edges(t, s, graphstore.EdgeQuery{URNs: []string{a}})
	wantEqual(t, "edge", found, want(e.EdgeAttributes))
	e.EdgeAttributes = graphstore.EdgeAttributes{UpdatedOn: 9, UpdatedActor: "z"}
	write(t, s, []string{a}, graphstore.Batch{UpdateEdges: []graphstore.EdgeStatement{e}})
	found, _ = edges(t, s, graphstore.EdgeQuery{URNs: []string{a}})
	wantEqual(t, "updated edge", found, want(e.EdgeAttributes))
}

// testHub gives one entity more edges than a store sorts in memory.
func testHub(t *testing.T, s graphstore.Store) {
	const n = 2600
	hub := urn(0)
	for low := 1; low <= n; low += 650 {
		var b graphstore.Batch
		var urns []string
		for i := low; i < low+650; i++ {
			urns = append(urns, urn(i))
			b.Nodes = append(b.Nodes, node(urn(i)))
			b.AddEdges = append(b.AddEdges, statement(urn(i), "OwnedBy", hub, "ownership", "p", 1), statement(urn(i), "OwnedBy", hub, "ownership", "q", 2))
		}
		write(t, s, urns, b)
	}
	for _, asOf := range []int64{0, 5} {
		page, total := edges(t, s, graphstore.EdgeQuery{URNs: []string{hub}, Direction: graphstore.Incoming, AsOf: asOf, Page: graphstore.Page{Start: n - 2, Count: 10}})
		if total != n || len(page) != 2 || page[0].Source != urn(n-1) || page[1].Source != urn(n) || page[1].Since != 1 {
			t.Errorf("last page of the hub as of %d: %+v of %d", asOf, page, total)
		}
	}
	if _, total := edges(t, s, graphstore.EdgeQuery{URNs: []string{hub}, Direction: graphstore.Incoming, Types: []string{"DownstreamOf"}}); total != 0 {
		t.Errorf("another type: %d", total)
	}
}

func testSelfEdge(t *testing.T, s graphstore.Store) {
	a := urn(1)
	addEdges(t, s, a, statement(a, "DownstreamOf", a, "upstreamLineage", "p", 1))
	wantEqual(t, "out", ends(t, s, graphstore.EdgeQuery{URNs: []string{a}}), []string{"DownstreamOf " + a})
	wantEqual(t, "in", ends(t, s, graphstore.EdgeQuery{URNs: []string{a}, Direction: graphstore.Incoming}), []string{"DownstreamOf " + a})
}

func testDeleteEntities(t *testing.T, s graphstore.Store) {
	a, b, c, lonely := urn(1), urn(2), urn(3), urn(4)
	for _, u := range []string{a, b, lonely} {
		put(t, s, u, "ownership", value(1))
		put(t, s, u, "ownership", value(2))
	}
	ended := statement(a, "DownstreamOf", c, "upstreamLineage", "old", 1)
	addEdges(t, s, a, statement(a, "DownstreamOf", c, "upstreamLineage", "p", 1), ended)
	endEdge(t, s, ended, 50)
	addEdges(t, s, b, statement(b, "DownstreamOf", a, "upstreamLineage", "p", 1))
	write(t, s, []string{a}, graphstore.Batch{PutTimeSeries: []graphstore.TimeSeriesValue{{URN: a, Aspect: "profile", Key: "k", Timestamp: 1, Value: value(1)}}})
	write(t, s, []string{a, lonely}, graphstore.Batch{DeleteEntities: []string{a, lonely}})

	wantNoVersion(t, s, a, "ownership", 0)
	wantNoVersion(t, s, a, "ownership", 1)
	wantEqual(t, "its edges", ends(t, s, graphstore.EdgeQuery{URNs: []string{a}}), []string{})
	wantEqual(t, "its past edges", ends(t, s, graphstore.EdgeQuery{URNs: []string{a}, AsOf: 10}), []string{})
	wantEqual(t, "what others say of it", ends(t, s, graphstore.EdgeQuery{URNs: []string{a}, Direction: graphstore.Incoming}), []string{"DownstreamOf " + b})
	if values := must[[]graphstore.TimeSeriesValue](t)(s.TimeSeries(context.Background(), graphstore.TimeSeriesQuery{URN: a, Aspect: "profile", Limit: 9})); len(values) != 0 {
		t.Errorf("time series left: %v", values)
	}
	nodes := must[[]graphstore.Entity](t)(s.Entities(context.Background(), []string{a, c, lonely}))
	if len(nodes) != 1 || nodes[0].URN != a || nodes[0].Exists || len(nodes[0].Properties) != 0 {
		t.Errorf("only the placeholder that another edge touches stays: %+v", nodes)
	}
	put(t, s, lonely, "ownership", value(3))
	wantVersion(t, s, lonely, "ownership", 0, 0, value(3))
	wantNoVersion(t, s, lonely, "ownership", 1)
	addEdges(t, s, b, statement(b, "DownstreamOf", c, "upstreamLineage", "p", 9))
	if nodes := must[[]graphstore.Entity](t)(s.Entities(context.Background(), []string{c})); len(nodes) != 1 || nodes[0].Exists {
		t.Errorf("a node that had gone comes back as a placeholder: %+v", nodes)
	}
}

// testDeleteAndWrite: a transaction that deletes an entity, or removes the last edge of an
// entity, may write the entity again.
func testDeleteAndWrite(t *testing.T, s graphstore.Store) {
	owner, end := urn(1), urn(2)
	put(t, s, owner, "ownership", value(1))
	addEdges(t, s, owner, statement(owner, "DownstreamOf", end, "upstreamLineage", "p", 1))
	update(t, s, []string{owner, end}, func(tx graphstore.Tx) error {
		if err := tx.Write(graphstore.Batch{DeleteEntities: []string{owner}}); err != nil {
			return err
		}
		for _, u := range []string{owner, end} {
			if _, err := putNext(tx, u, "ownership", value(2)); err != nil {
				return err
			}
		}
		return nil
	})
	for _, u := range []string{owner, end} {
		wantVersion(t, s, u, "ownership", 0, 0, value(2))
		wantNoVersion(t, s, u, "ownership", 1)
		nodes := must[[]graphstore.Entity](t)(s.Entities(context.Background(), []string{u}))
		if len(nodes) != 1 || !nodes[0].Exists {
			t.Errorf("%s: %+v", u, nodes)
		}
	}
	third := urn(3)
	addEdges(t, s, owner, statement(owner, "DownstreamOf", third, "upstreamLineage", "p", 3))
	write(t, s, []string{owner, third}, graphstore.Batch{
		DeleteEntities: []string{owner}, Nodes: []graphstore.NodeUpdate{node(third)},
		AddEdges: []graphstore.EdgeStatement{statement(third, "DownstreamOf", end, "upstreamLineage", "p", 4)},
	})
	wantEqual(t, "in one batch", ends(t, s, graphstore.EdgeQuery{URNs: []string{third}}), []string{"DownstreamOf " + end})
	if nodes := must[[]graphstore.Entity](t)(s.Entities(context.Background(), []string{owner, third})); len(nodes) != 1 || nodes[0].URN != third {
		t.Errorf("after the batch: %+v", nodes)
	}
}

// testDeleteStatementsAboutOthers: deleting an owner deletes the owner's statements about
// columns.
func testDeleteStatementsAboutOthers(t *testing.T, s graphstore.Store) {
	owner, other := urn(1), urn(2)
	column := func(n int) string { return fmt.Sprintf("urn:li:schemaField:(%s,c%d)", owner, n) }
	put(t, s, owner, "upstreamLineage", value(1))
	put(t, s, other, "upstreamLineage", value(1))
	for i, by := range []string{owner, other} {
		e := statement(by, "DownstreamOf", column(9), "upstreamLineage", "fine", 1)
		e.Source, e.SourceType, e.DestinationType = column(i), "schemaField", "schemaField"
		addEdges(t, s, by, e)
	}
	wantEqual(t, "before", ends(t, s, graphstore.EdgeQuery{URNs: []string{column(9)}, Direction: graphstore.Incoming}),
		[]string{"DownstreamOf " + column(0), "DownstreamOf " + column(1)})
	write(t, s, []string{owner}, graphstore.Batch{DeleteEntities: []string{owner}})
	wantEqual(t, "after", ends(t, s, graphstore.EdgeQuery{URNs: []string{column(9)}, Direction: graphstore.Incoming}), []string{"DownstreamOf " + column(1)})
	if found, _ := edges(t, s, graphstore.EdgeQuery{URNs: []string{column(9)}, Direction: graphstore.Incoming}); len(found) != 1 || !slices.Equal(found[0].Owners, []string{other}) {
		t.Errorf("who states it: %+v", found)
	}
	if nodes := must[[]graphstore.Entity](t)(s.Entities(context.Background(), []string{column(0)})); len(nodes) != 0 {
		t.Errorf("a column that nothing speaks of is still there: %+v", nodes)
	}
}
