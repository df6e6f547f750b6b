package lineage_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/graphstore"
)

// TestReadWithoutFlow: a column that is only joined, filtered or ordered by is not upstream of
// values. Its loss certainly breaks the entity that reads it, and the entities downstream of that
// entity.
func TestReadWithoutFlow(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		h := catalogtest.HarnessOn(t, store)
		name := func(table string) string {
			return "urn:li:dataset:(urn:li:dataPlatform:postgres,flow." + table + ",PROD)"
		}
		column := func(table, path string) string { return catalogtest.ColumnOf(name(table), path) }
		entry := func(upstream, downstream, operation string) string {
			return fmt.Sprintf(`{"upstreamType":"FIELD_SET","upstreams":[%q],"downstreamType":"FIELD","downstreams":[%q],"transformOperation":%q}`, upstream, downstream, operation)
		}
		// orders.amount flows into daily.total, which is filtered by orders.state; report reads daily.total to
		// order by it, and only its columns say so; board is behind report. A job joins orders.key.
		h.Say(name("daily"), "upstreamLineage", `{"upstreams":[{"dataset":"`+name("orders")+`","type":"VIEW"}],"fineGrainedLineages":[`+
			entry(column("orders", "amount"), column("daily", "total"), "DIRECT:AGGREGATION")+","+entry(column("orders", "state"), column("daily", "total"), "INDIRECT:FILTER")+`]}`)
		h.Say(name("report"), "upstreamLineage", `{"upstreams":[],"fineGrainedLineages":[`+entry(column("daily", "total"), column("report", "place"), "INDIRECT:SORT")+`]}`)
		h.Say(name("board"), "upstreamLineage", `{"upstreams":[{"dataset":"`+name("report")+`","type":"VIEW"}],"fineGrainedLineages":[`+entry(column("report", "name"), column("board", "name"), "DIRECT:IDENTITY")+`]}`)
		h.Say(name("joined"), "datasetProperties", `{"description":"what the job writes"}`)
		const job = "urn:li:dataJob:(urn:li:dataFlow:(airflow,flow,PROD),join)"
		h.Say(job, "dataJobInputOutput", `{"inputDatasets":[],"outputDatasets":[],"fineGrainedLineages":[`+entry(column("orders", "key"), column("joined", "x"), "INDIRECT:JOIN")+`]}`)

		impactOf := func(of, change string, hops int) []string {
			t.Helper()
			found, err := h.Lineage.ImpactPage(context.Background(), lineage.ImpactRequest{
				Walk: lineage.WalkQuery{URN: catalogtest.URN(of), MaxHops: hops}, Change: change,
			}, 0, 100, lineage.ImpactParts{Paths: true})
			if err != nil {
				t.Fatal(err)
			}
			lines := []string{}
			for i := range found.Rows {
				row := &found.Rows[i]
				line := fmt.Sprintf("%d %s %s %s", row.Degree, row.Effect, row.Because, last(row.URN))
				for _, step := range row.Path {
					line += " > " + last(step.URN)
				}
				lines = append(lines, line)
			}
			slices.Sort(lines)
			return lines
		}
		for _, test := range []struct {
			of, change string
			hops       int
			want       []string
		}{
			{column("orders", "state"), lineage.ChangeDrop, 0, []string{
				"1 certain columnLineage flow.daily > flow.orders.state > flow.daily",
				"2 certain behind flow.report > flow.orders.state > flow.daily > flow.report",
				"3 certain behind flow.board > flow.orders.state > flow.daily > flow.report > flow.board",
			}},
			{column("orders", "state"), lineage.ChangeDrop, 1, []string{"1 certain columnLineage flow.daily > flow.orders.state > flow.daily"}},
			{column("orders", "state"), lineage.ChangeRetype, 0, []string{
				"1 certain columnLineage flow.daily > flow.orders.state > flow.daily",
				"2 possible behindPossible flow.report > flow.orders.state > flow.daily > flow.report",
				"3 possible behindPossible flow.board > flow.orders.state > flow.daily > flow.report > flow.board",
			}},
			{column("orders", "amount"), lineage.ChangeRetype, 0, []string{
				"1 certain columnLineage flow.daily > flow.orders.amount > flow.daily.total",
				"2 possible behindPossible flow.report > flow.orders.amount > flow.daily > flow.report",
				"3 possible behindPossible flow.board > flow.orders.amount > flow.daily > flow.report > flow.board",
			}},
			{column("daily", "total"), lineage.ChangeRename, 0, []string{
				"1 certain columnLineage flow.report > flow.daily.total > flow.report",
				"2 certain behind flow.board > flow.daily.total > flow.report > flow.board",
			}},
			{column("orders", "key"), lineage.ChangeDrop, 0, []string{
				"1 certain columnLineage flow.joined > flow.orders.key > flow.joined",
				"1 certain columnLineage join > flow.orders.key > join",
				"1 possible mayRead flow.daily > flow.orders.key > flow.daily",
				"2 possible behindPossible flow.report > flow.orders.key > flow.daily > flow.report",
				"3 possible behindPossible flow.board > flow.orders.key > flow.daily > flow.report > flow.board",
			}},
		} {
			if diff := cmp.Diff(test.want, impactOf(test.of, test.change, test.hops)); diff != "" {
				t.Errorf("%s of %s, hops %d:\n%s", test.change, last(test.of), test.hops, diff)
			}
		}
		for of, want := range map[string][]string{column("orders", "state"): nil, column("orders", "amount"): {column("daily", "total")}, column("daily", "total"): nil} {
			walk, err := h.Lineage.Walk(context.Background(), lineage.WalkQuery{URN: catalogtest.URN(of), Direction: lineage.Downstream})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range walk.Reached {
				got = append(got, r.URN)
			}
			if !slices.Equal(got, want) {
				t.Errorf("values of %s flow into %q", last(of), got)
			}
		}
	})
}
