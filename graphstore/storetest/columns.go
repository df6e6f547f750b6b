package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

// Describe returns the description of an entity of the suite. Backends whose nodes people look
// at call Describe for the text that such a node shows.
func Describe(urn string) graphstore.Description {
	d := graphstore.Description{Name: urn[strings.LastIndexByte(urn, ':')+1:]}
	if of, ok := strings.CutPrefix(urn, "urn:li:schemaField:("); ok {
		at := strings.LastIndexByte(of, ',')
		d.Holder, d.FieldPath = of[:at], strings.TrimSuffix(of[at+1:], ")")
		d.Name = d.FieldPath
	}
	return d
}

func columnURN(holder string, n int) string {
	return fmt.Sprintf("urn:li:schemaField:(%s,c%d)", holder, n)
}

// ColumnEdge returns owner's statement that the column from derives from the column to.
func ColumnEdge(owner, from, to string) graphstore.EdgeStatement {
	e := statement(owner, "DownstreamOf", to, "upstreamLineage", "fine", 1)
	e.Source, e.SourceType, e.DestinationType = from, "schemaField", "schemaField"
	return e
}

// testColumns: no answer of the store contains a column only because a schema has gained or
// lost the column. A column about which something is stated is in the answers, whether a schema
// has the column or not.
func testColumns(t *testing.T, s graphstore.Store) {
	ctx := context.Background()
	table, other := urn(1), urn(2)
	known := func(when string, want ...string) {
		t.Helper()
		slices.Sort(want)
		wantEqual(t, "a scan "+when, must[[]string](t)(s.ScanNodes(ctx, "", 99)), want)
		wantEqual(t, "entities "+when, columnsKnown(t, s, table), onlyColumns(want))
		wantEqual(t, "a prefix "+when, must[[]string](t)(s.WithPrefix(ctx, "urn:li:schemaField:("+table+",", 99)), onlyColumns(want))
	}
	schema := func(gained, lost []string) {
		t.Helper()
		n := node(table)
		for _, urn := range gained {
			n.Shown.Columns = append(n.Shown.Columns, graphstore.Column{URN: urn, DataType: "STRING", Description: "A column."})
		}
		n.Shown.LostColumns = lost
		write(t, s, []string{table}, graphstore.Batch{Nodes: []graphstore.NodeUpdate{n}})
	}
	c := func(n int) string { return columnURN(table, n) }
	schema([]string{c(1), c(2), c(3)}, nil)
	known("with a schema", table)

	put(t, s, other, "upstreamLineage", value(1))
	addEdges(t, s, other, ColumnEdge(other, columnURN(other, 1), c(1)), ColumnEdge(other, columnURN(other, 1), c(9)))
	known("with lineage", table, other, columnURN(other, 1), c(1), c(9))
	nodes := must[[]graphstore.Entity](t)(s.Entities(ctx, []string{c(1), c(9)}))
	wantEqual(t, "columns with lineage", nodes, []graphstore.Entity{{URN: c(1), Type: "schemaField"}, {URN: c(9), Type: "schemaField"}})
	wantEqual(t, "edges", ends(t, s, graphstore.EdgeQuery{URNs: []string{c(1)}, Direction: graphstore.Incoming}), []string{"DownstreamOf " + columnURN(other, 1)})
	wantEqual(t, "edges of the table", ends(t, s, graphstore.EdgeQuery{URNs: []string{table}, Direction: graphstore.Incoming}), none)

	schema([]string{c(4)}, []string{c(1), c(2)})
	known("with another schema", table, other, columnURN(other, 1), c(1), c(9))
	write(t, s, []string{c(3)}, graphstore.Batch{Nodes: []graphstore.NodeUpdate{{URN: c(3), Type: "schemaField", Exists: true}}})
	known("with an entity", table, other, columnURN(other, 1), c(1), c(3), c(9))
	write(t, s, []string{table}, graphstore.Batch{DeleteEntities: []string{table}})
	known("without the table", other, columnURN(other, 1), c(1), c(3), c(9))
	schema([]string{c(1), c(3), c(4)}, nil)
	write(t, s, []string{other}, graphstore.Batch{DeleteEntities: []string{other}})
	known("without lineage", table, c(3))
	write(t, s, []string{c(3)}, graphstore.Batch{DeleteEntities: []string{c(3)}})
	known("without the entity", table)
	write(t, s, []string{table}, graphstore.Batch{DeleteEntities: []string{table}})
	known("at the end")
}

func onlyColumns(urns []string) []string {
	columns := []string{}
	for _, u := range urns {
		if strings.HasPrefix(u, "urn:li:schemaField:("+urn(1)+",") {
			columns = append(columns, u)
		}
	}
	return columns
}

func columnsKnown(t *testing.T, s graphstore.Store, table string) []string {
	t.Helper()
	var asked []string
	for n := range 10 {
		asked = append(asked, columnURN(table, n))
	}
	columns := []string{}
	for _, e := range must[[]graphstore.Entity](t)(s.Entities(context.Background(), asked)) {
		columns = append(columns, e.URN)
	}
	return columns
}
