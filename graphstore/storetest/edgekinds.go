package storetest

import (
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

// testEdgesOfKinds: a query for kinds of edge neither lists nor counts the edges that have the
// same type name but lead between other entity types, however many such edges exist.
func testEdgesOfKinds(t *testing.T, s graphstore.Store) {
	column := func(n int) string { return fmt.Sprintf("urn:li:schemaField:(%s,c%d)", urn(9), n) }
	toColumn := func(source string, n int, since int64) graphstore.EdgeStatement {
		e := statement(source, "DownstreamOf", column(n), "upstreamLineage", "fine", since)
		e.DestinationType = "schemaField"
		return e
	}
	between := graphstore.EdgeKind{Type: "DownstreamOf", SourceType: "dataset", DestinationType: "dataset"}
	toColumns := graphstore.EdgeKind{Type: "DownstreamOf", SourceType: "dataset", DestinationType: "schemaField"}
	owned := graphstore.EdgeKind{Type: "OwnedBy", SourceType: "dataset", DestinationType: "dataset"}
	few, hub, up, up2 := urn(1), urn(2), urn(3), urn(4)
	for _, c := range []struct {
		urn     string
		columns int
	}{{few, 3}, {hub, 2100}} {
		statements := []graphstore.EdgeStatement{
			statement(c.urn, "DownstreamOf", up2, "upstreamLineage", "p", 5), statement(c.urn, "DownstreamOf", up, "upstreamLineage", "p", 5),
			statement(c.urn, "OwnedBy", up, "ownership", "p", 5),
		}
		for n := range c.columns {
			statements = append(statements, toColumn(c.urn, n, 5))
		}
		addEdges(t, s, c.urn, statements...)
		for _, asOf := range []int64{0, 7} {
			ask := func(d graphstore.Direction, of string, kinds ...graphstore.EdgeKind) graphstore.EdgeQuery {
				return graphstore.EdgeQuery{URNs: []string{of}, Direction: d, Kinds: kinds, AsOf: asOf}
			}
			what := fmt.Sprintf("%d columns as of %d: ", c.columns, asOf)
			wantEqual(t, what+"one kind", ends(t, s, ask(graphstore.Outgoing, c.urn, between)), []string{"DownstreamOf " + up, "DownstreamOf " + up2})
			wantEqual(t, what+"two kinds", ends(t, s, ask(graphstore.Outgoing, c.urn, between, owned)),
				[]string{"DownstreamOf " + up, "DownstreamOf " + up2, "OwnedBy " + up})
			q := ask(graphstore.Outgoing, c.urn, between)
			q.Page = graphstore.Page{Start: 1, Count: 1}
			if page, total := edges(t, s, q); total != 2 || len(page) != 1 || page[0].Destination != up2 {
				t.Errorf("%sthe second of a kind: %v of %d", what, page, total)
			}
			if _, total := edges(t, s, ask(graphstore.Outgoing, c.urn, toColumns)); total != int64(c.columns) {
				t.Errorf("%s%d edges to columns", what, total)
			}
			wantEqual(t, what+"of another type", ends(t, s, ask(graphstore.Incoming, c.urn, toColumns)), []string{})
			wantEqual(t, what+"unknown kind", ends(t, s, ask(graphstore.Outgoing, c.urn, graphstore.EdgeKind{Type: "DownstreamOf", SourceType: "dataset", DestinationType: "nothing"})), []string{})
		}
	}
	wantEqual(t, "in", ends(t, s, graphstore.EdgeQuery{URNs: []string{column(1)}, Direction: graphstore.Incoming, Kinds: []graphstore.EdgeKind{between, toColumns}}),
		[]string{"DownstreamOf " + few, "DownstreamOf " + hub})
}

// testEnsureEdges: EnsureEdges adds the statements that are not current and leaves current
// statements as they are.
func testEnsureEdges(t *testing.T, s graphstore.Store) {
	a, b, c := urn(1), urn(2), urn(3)
	current := statement(a, "DownstreamOf", b, "upstreamLineage", "p", 5)
	addEdges(t, s, a, current)
	restated, missing, ended := current, statement(a, "DownstreamOf", c, "upstreamLineage", "p", 7), statement(a, "OwnedBy", b, "ownership", "p", 8)
	restated.Since = 9
	addEdges(t, s, a, ended)
	endEdge(t, s, ended, 10)
	ended.Since = 12
	for range 2 {
		write(t, s, []string{a}, graphstore.Batch{EnsureEdges: []graphstore.EdgeStatement{restated, missing, missing, ended}})
	}
	found, total := edges(t, s, graphstore.EdgeQuery{URNs: []string{a}})
	if total != 3 || len(found) != 3 || found[0].Since != 5 || found[1].Since != 7 || found[2].Since != 12 {
		t.Errorf("%+v of %d", found, total)
	}
	// Each edge has one statement, so no edge is left after the statements have ended.
	for _, e := range []graphstore.EdgeStatement{restated, missing, ended} {
		endEdge(t, s, e, 20)
	}
	wantEqual(t, "when all have ended", ends(t, s, graphstore.EdgeQuery{URNs: []string{a}}), []string{})
	wantEqual(t, "before", ends(t, s, graphstore.EdgeQuery{URNs: []string{a}, AsOf: 15}), []string{"DownstreamOf " + b, "DownstreamOf " + c, "OwnedBy " + b})
}
