package lineage_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sample"
)

// day returns a past moment of the sample, epoch milliseconds.
func day(t *testing.T, text string) int64 {
	t.Helper()
	at, err := time.Parse("2006-01-02", text)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixMilli()
}

// storied returns the sample with its past.
func storied(t *testing.T) *services.Services {
	t.Helper()
	past := new(sample.Past)
	c := testcatalog.At(t, past.Now)
	if _, err := past.Load(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	return c
}

// last returns the part of a URN by which people tell entities of the sample apart.
func last(urn string) string {
	u := model.StoredURN(urn)
	if u.IsZero() {
		return ""
	}
	if holder, path, ok := model.ColumnOf(u); ok {
		return last(holder.String()) + "." + path
	}
	parts := u.Parts()
	if len(parts) == 3 {
		return parts[1]
	}
	return parts[len(parts)-1]
}

func lasts(urns []string) string {
	names := make([]string, len(urns))
	for i, urn := range urns {
		names[i] = last(urn)
	}
	return strings.Join(names, ",")
}

// linksOf returns edges as text.
func linksOf(edges []lineage.Link) []string {
	lines := []string{}
	for i := range edges {
		lines = append(lines, last(edges[i].Upstream)+" > "+last(edges[i].Downstream))
	}
	return lines
}

// nodesOf returns nodes as text, with the details that were read.
func nodesOf(nodes []lineage.Node, with lineage.Details) []string {
	lines := []string{}
	for i := range nodes {
		n := &nodes[i]
		line := fmt.Sprintf("%d %s: %d up, %d down", n.Degree, last(n.URN), n.Upstreams, n.Downstreams)
		if with != (lineage.Details{}) {
			line += fmt.Sprintf(", %s, %s, %d columns, owners %s, tags %s, domain %s", n.PlatformName, n.SubType, n.Columns, lasts(n.Owners), lasts(n.Tags), last(n.Domain))
		}
		lines = append(lines, line)
	}
	return lines
}

// TestGraph asks for graphs of the sample.
func TestGraph(t *testing.T) {
	c, ctx := storied(t), context.Background()
	orders, margin := table(t, "marts.orders"), table(t, "marts.margin_by_product")
	for name, test := range map[string]struct {
		ask          lineage.GraphRequest
		total        int
		reason, note string
		nodes, edges []string
	}{
		"both directions, with everything": {
			ask: lineage.GraphRequest{URN: margin, Hops: 1, Limit: 500, With: lineage.Details{Labels: true, SubTypes: true, Columns: true}}, total: 7,
			nodes: []string{
				"0 analytics.marts.margin_by_product: 4 up, 2 down, Snowflake, Table, 4 columns, owners data-platform,piet.hollis, tags , domain finance",
				"1 product_margin: 1 up, 1 down, Looker, , 0 columns, owners piet.hollis, tags , domain finance",
				"-1 build_margin_by_product: 3 up, 2 down, Airflow, , 0 columns, owners omar.reyes, tags , domain ",
				"1 analytics.marts.executive_summary: 3 up, 4 down, Snowflake, Table, 3 columns, owners data-platform,mira.castel, tags , domain finance",
				"-1 analytics.staging.stg_order_lines: 1 up, 8 down, Snowflake, Table, 5 columns, owners data-platform,ines.falk, tags , domain sales",
				"-1 analytics.staging.stg_prices: 1 up, 1 down, Snowflake, Table, 4 columns, owners data-platform,ines.falk, tags , domain finance",
				"-1 analytics.staging.stg_products: 1 up, 1 down, Snowflake, Table, 5 columns, owners data-platform,ines.falk, tags , domain logistics",
			},
			edges: []string{
				"build_margin_by_product > analytics.marts.margin_by_product",
				"analytics.marts.margin_by_product > product_margin",
				"analytics.marts.margin_by_product > analytics.marts.executive_summary",
				"analytics.staging.stg_order_lines > build_margin_by_product",
				"analytics.staging.stg_order_lines > analytics.marts.margin_by_product",
				"analytics.staging.stg_prices > analytics.marts.margin_by_product",
				"analytics.staging.stg_products > analytics.marts.margin_by_product",
			},
		},
		"one direction": {
			ask: lineage.GraphRequest{URN: margin, Direction: lineage.Downstream, Hops: 1, Limit: 500}, total: 3,
			nodes: []string{"0 analytics.marts.margin_by_product: 4 up, 2 down", "1 product_margin: 1 up, 1 down", "1 analytics.marts.executive_summary: 3 up, 4 down"},
			edges: []string{"analytics.marts.margin_by_product > product_margin", "analytics.marts.margin_by_product > analytics.marts.executive_summary"},
		},
		"the nearest within a limit": {
			ask: lineage.GraphRequest{URN: orders, Limit: 3}, total: 31, reason: "more nodes than asked for",
			nodes: []string{"0 analytics.marts.orders: 4 up, 5 down", "1 basket_value: 1 up, 1 down", "1 orders_today: 1 up, 1 down"},
			edges: []string{"analytics.marts.orders > basket_value", "analytics.marts.orders > orders_today"},
		},
		"at a past moment": {
			ask: lineage.GraphRequest{URN: margin, Direction: lineage.Upstream, Hops: 1, Limit: 500, AsOf: day(t, "2026-11-01")}, total: 5,
			nodes: []string{
				"0 analytics.marts.margin_by_product: 4 up, 2 down", "-1 build_margin_by_product: 3 up, 2 down", "-1 analytics.raw.prices: 2 up, 2 down",
				"-1 analytics.staging.stg_order_lines: 1 up, 8 down", "-1 analytics.staging.stg_products: 1 up, 1 down",
			},
			edges: []string{
				"build_margin_by_product > analytics.marts.margin_by_product", "analytics.raw.prices > analytics.marts.margin_by_product",
				"analytics.staging.stg_order_lines > build_margin_by_product", "analytics.staging.stg_order_lines > analytics.marts.margin_by_product",
				"analytics.staging.stg_products > analytics.marts.margin_by_product",
			},
		},
		"before anything was known": {
			ask: lineage.GraphRequest{URN: margin, Limit: 500, AsOf: day(t, "2026-10-01")}, total: 1, note: "nothing was written",
			nodes: []string{"0 analytics.marts.margin_by_product: 0 up, 0 down"}, edges: []string{},
		},
		"the columns that have lineage": {
			ask: lineage.GraphRequest{URN: table(t, "marts.revenue_daily"), Direction: lineage.Upstream, Hops: 1, Limit: 500, Columns: true}, total: 6,
			nodes: []string{
				"0 analytics.marts.revenue_daily.day: 1 up, 1 down", "0 analytics.marts.revenue_daily.gross_revenue: 1 up, 0 down", "0 analytics.marts.revenue_daily.net_revenue: 1 up, 2 down",
				"-1 analytics.marts.orders.gross_revenue: 1 up, 2 down", "-1 analytics.marts.orders.net_revenue: 1 up, 2 down", "-1 analytics.marts.orders.placed_at: 1 up, 1 down",
			},
			edges: []string{
				"analytics.marts.orders.gross_revenue > analytics.marts.revenue_daily.gross_revenue", "analytics.marts.orders.net_revenue > analytics.marts.revenue_daily.net_revenue",
				"analytics.marts.orders.placed_at > analytics.marts.revenue_daily.day",
			},
		},
		"a column": {
			ask: lineage.GraphRequest{URN: field(t, "marts.revenue_daily", "net_revenue"), Direction: lineage.Upstream, Limit: 500}, total: 3,
			nodes: []string{
				"0 analytics.marts.revenue_daily.net_revenue: 1 up, 2 down", "-1 analytics.marts.orders.net_revenue: 1 up, 2 down",
				"-2 analytics.staging.stg_refunds.amount: 0 up, 2 down",
			},
			edges: []string{
				"analytics.marts.orders.net_revenue > analytics.marts.revenue_daily.net_revenue",
				"analytics.staging.stg_refunds.amount > analytics.marts.orders.net_revenue",
			},
		},
		"what has no lineage": {
			ask: lineage.GraphRequest{URN: catalogtest.URN("urn:li:domain:finance"), Limit: 500}, total: 1, nodes: []string{"0 finance: 0 up, 0 down"}, edges: []string{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := c.Lineage.Graph(ctx, test.ask)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.nodes, nodesOf(g.Nodes, test.ask.With)); diff != "" {
				t.Error(diff)
			}
			slices.Sort(test.edges)
			links := linksOf(g.Edges)
			slices.Sort(links)
			if diff := cmp.Diff(test.edges, links); diff != "" {
				t.Error(diff)
			}
			if g.Total != test.total || g.Partial != (test.reason != "") || !strings.Contains(g.Reason, test.reason) || !strings.Contains(g.Note, test.note) || (g.Note != "") != (test.note != "") {
				t.Errorf("total %d, partial %v, %q, %q", g.Total, g.Partial, g.Reason, g.Note)
			}
		})
	}
	for name, test := range map[string]struct {
		ask  lineage.GraphRequest
		code catalog.Code
		says string
	}{
		"no limit":         {lineage.GraphRequest{URN: orders}, catalog.Invalid, "limit"},
		"too large":        {lineage.GraphRequest{URN: orders, Limit: limits.MaxGraphNodes + 1}, catalog.Invalid, "10000"},
		"hops":             {lineage.GraphRequest{URN: orders, Limit: 1, Hops: -1}, catalog.Invalid, "negative"},
		"moment":           {lineage.GraphRequest{URN: orders, Limit: 1, AsOf: -1}, catalog.Invalid, "milliseconds"},
		"direction":        {lineage.GraphRequest{URN: orders, Limit: 1, Direction: "SIDEWAYS"}, catalog.Invalid, "direction"},
		"nothing known":    {lineage.GraphRequest{URN: table(t, "marts.nothing"), Limit: 1}, catalog.NotFound, "nothing is known"},
		"no such column":   {lineage.GraphRequest{URN: field(t, "marts.orders", "net_revenu"), Limit: 1}, catalog.NotFound, "did you mean net_revenue?"},
		"columns of those": {lineage.GraphRequest{URN: table(t, "marts.nothing"), Limit: 1, Columns: true}, catalog.NotFound, "nothing is known"},
	} {
		if _, err := c.Lineage.Graph(ctx, test.ask); catalog.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestGraphOfHubs: an edge is found although both of its ends have more edges than are read at
// once. The neighbours of both ends are counted.
func TestGraphOfHubs(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	const many = 130
	at := func(name string, i int) string {
		return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,hubs.%s%03d,PROD)", name, i)
	}
	source, sink := at("zsource", 0), at("asink", 0)
	upstreams := []string{}
	proposals := []write.Proposal{}
	says := func(urn string, from ...string) {
		text := `{"upstreams":[{"dataset":"` + strings.Join(from, `","type":"COPY"},{"dataset":"`) + `","type":"COPY"}]}`
		proposals = append(proposals, write.Proposal{
			EntityType: "dataset", EntityURN: urn, AspectName: "upstreamLineage", Aspect: &write.GenericAspect{ContentType: "application/json", Value: []byte(text)},
		})
	}
	for i := range many {
		says(at("reader", i), source)
		upstreams = append(upstreams, at("feeder", i))
	}
	says(sink, append(upstreams, source)...)
	if _, err := h.IngestBatch(ctx, proposals, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	g, err := h.Lineage.Graph(ctx, lineage.GraphRequest{URN: catalogtest.URN(sink), Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	links := linksOf(g.Edges)
	if len(g.Nodes) != many+2 || len(links) != many+1 || !slices.Contains(links, last(source)+" > "+last(sink)) || g.Partial {
		t.Errorf("%d nodes, %d edges, %q", len(g.Nodes), len(links), g.Reason)
	}
	for _, n := range g.Nodes {
		if n.URN == sink && (n.Upstreams != many+1 || n.Downstreams != 0) || n.URN == source && (n.Upstreams != 0 || n.Downstreams != many+1) {
			t.Errorf("%+v", n)
		}
	}
}

// TestGraphFailures: an unavailable store has an error of its own, and a walk that took too
// long gives a partial answer.
func TestGraphFailures(t *testing.T) {
	h, ctx := catalogtest.NewLineageHarness(t), context.Background()
	raw := catalogtest.URN(catalogtest.RawTable)
	ask := lineage.GraphRequest{URN: raw, Limit: 10}
	h.Store.FailWalk = graphstore.ErrUnavailable
	_, err := h.Lineage.Graph(ctx, ask)
	h.Want(catalog.Unavailable, err)
	_, err = h.Lineage.Changes(ctx, lineage.ChangesRequest{URN: raw, Count: 1})
	h.Want(catalog.Unavailable, err)
	h.Store.FailWalk, h.Store.CutWalk = nil, graphstore.CutByTime
	g, err := h.Lineage.Graph(ctx, ask)
	if err != nil || !g.Partial || !strings.Contains(g.Reason, "longer") {
		t.Errorf("%+v %v", g, err)
	}
	changes, err := h.Lineage.Changes(ctx, lineage.ChangesRequest{URN: raw, Count: 1})
	if err != nil || !changes.Partial || !strings.Contains(changes.Reason, "longer") {
		t.Errorf("%+v %v", changes, err)
	}
}

// TestColumnCounts: the columns of the schema come in its order, followed by the columns that
// only lineage names.
func TestColumnCounts(t *testing.T) {
	c, ctx := sampled(t), context.Background()
	got, _, err := c.Lineage.ColumnCounts(ctx, table(t, "marts.orders"), 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []lineage.ColumnCount{{"order_id", 1, 2}, {"customer_id", 1, 0}, {"placed_at", 1, 1}, {"gross_revenue", 1, 2}, {"net_revenue", 1, 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	h := catalogtest.NewHarness(t)
	schema := `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.Schemaless":{}},"fields":[` +
		`{"fieldPath":"[version=2.0].[type=struct].[type=string].b","nativeDataType":"text","type":{"type":{"com.linkedin.schema.StringType":{}}}},` +
		`{"fieldPath":"unused","nativeDataType":"text","type":{"type":{"com.linkedin.schema.StringType":{}}}}]}`
	h.Say(catalogtest.Table, "schemaMetadata", schema)
	h.Say(catalogtest.Table, "upstreamLineage", `{"upstreams":[{"dataset":"`+catalogtest.RawTable+`","type":"COPY"}],"fineGrainedLineages":[`+
		`{"upstreamType":"FIELD_SET","upstreams":["`+catalogtest.ColumnOf(catalogtest.RawTable, "x")+`","`+catalogtest.ColumnOf(catalogtest.RawTable, "y")+`"],"downstreamType":"FIELD","downstreams":["`+catalogtest.ColumnOf(catalogtest.Table, "b")+`"]},`+
		`{"upstreamType":"FIELD_SET","upstreams":["`+catalogtest.ColumnOf(catalogtest.RawTable, "x")+`"],"downstreamType":"FIELD","downstreams":["`+catalogtest.ColumnOf(catalogtest.Table, "gone")+`"]}]}`)
	if got, _, err = h.Lineage.ColumnCounts(ctx, catalogtest.URN(catalogtest.Table), 0); err != nil {
		t.Fatal(err)
	}
	want = []lineage.ColumnCount{{"[version=2.0].[type=struct].[type=string].b", 2, 0}, {"unused", 0, 0}, {"gone", 1, 0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, _, err = h.Lineage.ColumnCounts(ctx, catalogtest.URN(catalogtest.RawTable), 0); err != nil || !slices.Equal(got, []lineage.ColumnCount{{"x", 0, 2}, {"y", 0, 1}}) {
		t.Errorf("%+v %v", got, err)
	}
	_, _, err = h.Lineage.ColumnCounts(ctx, catalogtest.URN(catalogtest.ColumnOf(catalogtest.Table, "b")), 0)
	h.Want(catalog.Invalid, err)
	_, _, err = h.Lineage.ColumnCounts(ctx, catalogtest.URN("urn:li:dataset:(urn:li:dataPlatform:hive,nothing,PROD)"), 0)
	h.Want(catalog.NotFound, err)
}
