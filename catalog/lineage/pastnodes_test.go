package lineage_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// TestColumnCountsOfThePast: a column that was renamed later has its former name, and a table
// that nobody had written yet has no columns.
func TestColumnCountsOfThePast(t *testing.T) {
	c, ctx := storied(t), context.Background()
	for asOf, want := range map[int64][2]bool{day(t, "2026-10-10"): {true, false}, day(t, "2026-10-22"): {false, true}, 0: {false, true}, day(t, "2026-10-01"): {}} {
		counts, partial, err := c.Lineage.ColumnCounts(ctx, table(t, "marts.orders"), asOf)
		if err != nil || partial != "" {
			t.Fatal(err, partial)
		}
		has := func(path string) bool {
			return slices.ContainsFunc(counts, func(c lineage.ColumnCount) bool { return c.Path == path })
		}
		if got := [2]bool{has("net_amount"), has("net_revenue")}; got != want || (len(counts) == 0) != (want == [2]bool{}) {
			t.Errorf("at %d: %v", asOf, counts)
		}
	}
}

// pastHarness is a Harness over a store.
func pastHarness(t *testing.T, store graphstore.Store) *catalogtest.Harness {
	f := &catalogtest.Faulty{Store: store}
	return &catalogtest.Harness{Services: services.New(services.Options{Store: f, Now: testclock.Now}), T: t, Store: f}
}

// withColumns is a schema of columns.
func withColumns(paths ...string) string {
	var fields []string
	for _, path := range paths {
		fields = append(fields, fmt.Sprintf(`{"fieldPath":%q,"nativeDataType":"int","type":{"type":{"com.linkedin.schema.NumberType":{}}}}`, path))
	}
	return `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[` + strings.Join(fields, ",") + `]}`
}

// TestNodesOfThePast: each node of a graph, of a walk and of an impact has the name and the state
// of the moment. Members whose former value is not kept any more are named as of today.
func TestNodesOfThePast(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		h, ctx := pastHarness(t, store), context.Background()
		const up, down = "urn:li:dataset:(urn:li:dataPlatform:hive,past.up,PROD)", "urn:li:dataset:(urn:li:dataPlatform:hive,past.down,PROD)"
		h.Say(down, "upstreamLineage", `{"upstreams":[{"dataset":"`+up+`","type":"COPY"}]}`)
		before := catalogtest.Past(t)
		h.Say(up, "datasetProperties", `{"name":"First"}`)
		h.Say(up, "subTypes", `{"typeNames":["Table"]}`)
		h.Say(up, "schemaMetadata", withColumns("a"))
		made := catalogtest.Past(t)
		h.Say(up, "datasetProperties", `{"name":"Second"}`)
		h.Say(up, "subTypes", `{"typeNames":["View"]}`)
		h.Say(up, "schemaMetadata", withColumns("a", "b"))
		h.Say(up, "deprecation", `{"deprecated":true,"note":"old","actor":"urn:li:corpuser:ada"}`)
		changed := catalogtest.Past(t)
		h.Say(up, "status", `{"removed":true}`)
		expect := func(at int64, want string) {
			t.Helper()
			q := lineage.WalkQuery{URN: catalogtest.URN(down), Direction: lineage.Upstream, AsOf: at}
			g, err := h.Lineage.Graph(ctx, lineage.GraphRequest{URN: q.URN, Direction: q.Direction, Hops: 1, Limit: 9, AsOf: at, With: lineage.Details{SubTypes: true, Columns: true}})
			if err != nil || len(g.Nodes) != 2 {
				t.Fatal(err, g)
			}
			n := &g.Nodes[1]
			if got := fmt.Sprintf("%s|%v %v %v|%s %d|%s", n.Name, n.Exists, n.Removed, n.Deprecated, n.SubType, n.Columns, strings.Join(n.AsOfToday, ",")); got != want {
				t.Errorf("at %d: %s, want %s", at, got, want)
			}
			walked, err := h.Lineage.Of(ctx, lineage.Request{Walk: q, Removed: lineage.RemovedShow, Count: 10})
			if err != nil || len(walked.Entities) != 1 {
				t.Fatal(err, walked)
			}
			impact, err := h.Lineage.Impact(ctx, lineage.ImpactRequest{Walk: q, Removed: lineage.RemovedShow})
			if err != nil || len(impact.Entities) != 1 {
				t.Fatal(err, impact)
			}
			for _, e := range []*lineage.Entity{&walked.Entities[0], &impact.Entities[0].Entity} {
				if e.Name != n.Name || e.Exists != n.Exists || e.Removed != n.Removed {
					t.Errorf("at %d: %+v, and the graph has %s", at, e, want)
				}
			}
		}
		expect(before, "past.up|false false false| 0|")
		expect(made, "First|true false false|Table 1|")
		expect(changed, "Second|true false true|View 2|")
		expect(0, "Second|true true true|View 2|")
		for i := range 25 {
			h.Say(up, "datasetProperties", fmt.Sprintf(`{"name":"Again %d"}`, i))
			h.Say(up, "schemaMetadata", withColumns("a", "b", fmt.Sprint("c", i)))
		}
		expect(made, "Again 24|true false false|Table 3|name,platform,columns")
	})
}

// TestDiffBeyondHops: an entity that moved to a distance beyond the hops of the request, or came
// from there, has moved, and has neither ended nor been added.
func TestDiffBeyondHops(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		h, ctx := pastHarness(t, store), context.Background()
		name := func(n string) string {
			return "urn:li:dataset:(urn:li:dataPlatform:hive,hops." + n + ",PROD)"
		}
		from := func(down string, ups ...string) {
			var list []string
			for _, up := range ups {
				list = append(list, `{"dataset":"`+name(up)+`","type":"COPY"}`)
			}
			h.Say(name(down), "upstreamLineage", `{"upstreams":[`+strings.Join(list, ",")+`]}`)
		}
		from("b", "a")
		from("board", "a")
		from("gone", "a")
		before := catalogtest.Past(t)
		from("board", "b")
		from("gone")
		after := catalogtest.Past(t)
		shown := func(before, after int64, hops int) string {
			d, err := h.Lineage.Diff(ctx, lineage.DiffRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(name("a")), Direction: lineage.Downstream, MaxHops: hops}, Before: before, After: after})
			if err != nil || d.Partial {
				t.Fatal(err, d)
			}
			var texts []string
			for _, e := range d.Added {
				texts = append(texts, "added "+e.Name)
			}
			for _, e := range d.Ended {
				texts = append(texts, "ended "+e.Name)
			}
			for _, e := range d.Moved {
				texts = append(texts, fmt.Sprintf("%s moved from %d to %d", e.Name, e.DegreeBefore, e.Degree))
			}
			return strings.Join(texts, ", ")
		}
		for hops, want := range map[int]string{1: "ended hops.gone, hops.board moved from 1 to 2", 2: "ended hops.gone, hops.board moved from 1 to 2", 0: "ended hops.gone, hops.board moved from 1 to 2"} {
			if got := shown(before, after, hops); got != want {
				t.Errorf("%d hops: %s, want %s", hops, got, want)
			}
		}
		from("board", "a")
		back := catalogtest.Past(t)
		if got, want := shown(after, back, 1), "hops.board moved from 2 to 1"; got != want {
			t.Errorf("back: %s, want %s", got, want)
		}
	})
}
