package storetest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

// testEdgesToParts: EdgesToParts finds the edges that lead to the columns of tables, and the
// owners that state these edges, now and at a past moment. The URN of one table is a prefix of
// the URN of another, and edges of other kinds lead to the same columns.
func testEdgesToParts(t *testing.T, s graphstore.Store) {
	ctx := context.Background()
	table, longer, job := urn(1), urn(1)+"x", jobURN(1)
	c := func(of string) string { return columnURN(of, 1) }
	ended := ColumnEdge(urn(3), c(urn(3)), c(table))
	whole := ColumnEdge(urn(4), urn(4), c(table)) // a whole table derives from a column
	whole.SourceType = "dataset"
	twice := ColumnEdge(urn(2), c(urn(2)), c(table))
	twice.Path = "again"
	addEdges(t, s, urn(2), ColumnEdge(urn(2), c(urn(2)), c(table)), twice, ColumnEdge(urn(2), c(urn(2)), columnURN(table, 2)), ColumnEdge(urn(2), columnURN(urn(2), 2), columnURN(table, 2)))
	addEdges(t, s, urn(3), ended)
	addEdges(t, s, urn(4), whole, edgeOf(derives, urn(4), table, "p", 1))
	addEdges(t, s, longer, ColumnEdge(longer, c(longer), c(urn(5))), ColumnEdge(longer, c(urn(6)), c(longer)))
	stated := func(job string, edges ...graphstore.EdgeStatement) {
		write(t, s, []string{job}, graphstore.Batch{Nodes: []graphstore.NodeUpdate{{URN: job, Type: "dataJob", Exists: true}}, AddEdges: edges})
	}
	stated(job, ColumnEdge(job, c(urn(2)), c(table)), ColumnEdge(job, columnURN(urn(2), 2), c(table)), ColumnEdge(job, c(urn(2)), columnURN(table, 3)))
	reads := edgeOf(consumes, jobURN(2), c(table), "fields", 1)
	reads.DestinationType = "schemaField"
	stated(jobURN(2), reads)
	update(t, s, []string{urn(3)}, func(tx graphstore.Tx) error {
		return tx.Write(graphstore.Batch{EndEdges: []graphstore.EdgeEnd{{EdgeID: ended.EdgeID, Until: 200}}})
	})
	prefixes := []string{"urn:li:schemaField:(" + longer + ",", "urn:li:schemaField:(" + urn(9) + ",", "urn:li:schemaField:(" + table + ","}
	read := func(q graphstore.PartQuery) []string {
		t.Helper()
		q.Prefixes = prefixes
		found := must[graphstore.PartEdges](t)(s.EdgesToParts(ctx, q))
		rows := []string{}
		for _, e := range found.Edges {
			rows = append(rows, strings.Join([]string{prefixes[e.Prefix], e.Owner, e.Source}, " "))
		}
		slices.Sort(rows)
		if found.Cut {
			rows = append(rows, "cut")
		}
		return rows
	}
	row := func(of, owner, source string) string {
		return strings.Join([]string{"urn:li:schemaField:(" + of + ",", owner, source}, " ")
	}
	types, jobs := []string{"DownstreamOf"}, []string{"dataJob", "chart"}
	want := []string{row(longer, longer, ""), row(table, urn(2), ""), row(table, job, c(urn(2))), row(table, job, columnURN(urn(2), 2)), row(table, urn(4), "")}
	slices.Sort(want)
	then := append(slices.Clone(want), row(table, urn(3), ""))
	slices.Sort(then)
	wantEqual(t, "now", read(graphstore.PartQuery{Types: types, SourcesOf: jobs, Limit: 99}), want)
	wantEqual(t, "at a moment", read(graphstore.PartQuery{Types: types, SourcesOf: jobs, Limit: 99, AsOf: 150}), then)
	wantEqual(t, "at the end", read(graphstore.PartQuery{Types: types, SourcesOf: jobs, Limit: 99, AsOf: 200}), want)
	owners := []string{row(longer, longer, ""), row(table, urn(2), ""), row(table, job, ""), row(table, urn(4), "")}
	slices.Sort(owners)
	wantEqual(t, "owners", read(graphstore.PartQuery{Types: types, Limit: 99}), owners)
	wantEqual(t, "of another relationship", read(graphstore.PartQuery{Types: []string{"Consumes", "Asserts"}, Limit: 99}), []string{row(table, jobURN(2), "")})
	wantEqual(t, "of none", read(graphstore.PartQuery{Limit: 99}), none)
	wantEqual(t, "none wanted", read(graphstore.PartQuery{Types: types}), none)
	if cut := read(graphstore.PartQuery{Types: types, Limit: 2}); len(cut) != 3 || cut[2] != "cut" {
		t.Errorf("limited: %q", cut)
	}
	prefixes = nil
	wantEqual(t, "of nothing", read(graphstore.PartQuery{Types: types, Limit: 99}), none)
}
