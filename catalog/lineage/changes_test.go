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
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/model"
)

// changed returns changes as text.
func changed(changes []lineage.Change) []string {
	lines := []string{}
	for _, c := range changes {
		line := fmt.Sprintf("%s %d %s", time.UnixMilli(c.Time).UTC().Format("01-02 15:04"), c.Degree, last(c.Entity))
		if c.Part != "" {
			line = fmt.Sprintf("%s %d %s", time.UnixMilli(c.Time).UTC().Format("01-02 15:04"), c.Degree, last(c.Part))
		}
		lines = append(lines, fmt.Sprintf("%s | %s %s | %s %s %s | %s", line, last(c.Actor), c.Run, c.Category, c.Operation, c.Weight, c.Description))
	}
	return lines
}

// TestLineageChanges asks for the changes around tables of the sample, whose story is in
// docs/sample.md.
func TestLineageChanges(t *testing.T) {
	c, ctx := storied(t), context.Background()
	margin, orders := table(t, "marts.margin_by_product"), table(t, "marts.orders")
	for name, test := range map[string]struct {
		ask   lineage.ChangesRequest
		total int
		want  []string
	}{
		"upstream, between entities": {
			ask:   lineage.ChangesRequest{URN: margin, Direction: lineage.Upstream, Hops: 1, From: day(t, "2026-10-22"), To: day(t, "2026-11-22"), Categories: []string{"LINEAGE", "OWNER"}},
			total: 4,
			want: []string{
				"11-08 03:00 0 analytics.marts.margin_by_product | omar.reyes larkspur-nightly-2026-11-08 | LINEAGE REMOVE MINOR | Upstream analytics.raw.prices was removed",
				"11-08 03:00 0 analytics.marts.margin_by_product | omar.reyes larkspur-nightly-2026-11-08 | LINEAGE ADD MINOR | Upstream analytics.staging.stg_prices was added",
				"11-08 03:00 0 analytics.marts.margin_by_product.margin | omar.reyes larkspur-nightly-2026-11-08 | LINEAGE REMOVE MINOR | Upstream analytics.raw.prices.price was removed, column margin",
				"11-08 03:00 0 analytics.marts.margin_by_product.margin | omar.reyes larkspur-nightly-2026-11-08 | LINEAGE ADD MINOR | Upstream analytics.staging.stg_prices.price was added, column margin",
			},
		},
		"names instead of URNs": {
			ask: lineage.ChangesRequest{URN: orders, Direction: lineage.Upstream, Hops: 1, From: day(t, "2026-10-22"), To: day(t, "2026-11-22"), Categories: []string{"OWNER", "TAG"}}, total: 4,
			want: []string{
				"11-13 11:30 0 analytics.marts.orders | mira.castel larkspur-curation | TAG ADD MINOR | Tag Finance was added",
				"10-26 09:10 0 analytics.marts.orders | tessa.quill larkspur-curation | OWNER ADD MINOR | Owner Bela Norris (TECHNICAL_OWNER) was added",
			},
		},
		"a run and its rollback": {
			ask:   lineage.ChangesRequest{URN: orders, Direction: lineage.Upstream, Hops: 1, From: day(t, "2026-11-09"), To: day(t, "2026-11-12"), Categories: []string{"TECHNICAL_SCHEMA"}},
			total: 4,
			want: []string{
				"11-11 09:42 0 analytics.marts.orders.gross_revenue | ines.falk  | TECHNICAL_SCHEMA ADD MINOR | Column gross_revenue was added (rollback of run larkspur-nightly-2026-11-11)",
				"11-11 09:42 0 analytics.marts.orders.net_revenue | ines.falk  | TECHNICAL_SCHEMA ADD MINOR | Column net_revenue was added (rollback of run larkspur-nightly-2026-11-11)",
				"11-11 03:00 0 analytics.marts.orders.gross_revenue | omar.reyes larkspur-nightly-2026-11-11 | TECHNICAL_SCHEMA REMOVE MAJOR | Column gross_revenue was removed (run larkspur-nightly-2026-11-11, rolled back since)",
				"11-11 03:00 0 analytics.marts.orders.net_revenue | omar.reyes larkspur-nightly-2026-11-11 | TECHNICAL_SCHEMA REMOVE MAJOR | Column net_revenue was removed (run larkspur-nightly-2026-11-11, rolled back since)",
			},
		},
		"downstream": {
			ask:   lineage.ChangesRequest{URN: orders, Direction: lineage.Downstream, From: day(t, "2026-10-28"), To: day(t, "2026-10-31"), Categories: []string{"LINEAGE", "TAG"}},
			total: 7,
			want:  []string{"10-30 15:30 1 analytics.marts.loyalty | jun.petrov larkspur-curation | TAG ADD MINOR | Tag Experimental was added"},
		},
		"a column, upstream": {
			ask:   lineage.ChangesRequest{URN: field(t, "marts.revenue_daily", "net_revenue"), Direction: lineage.Upstream, From: day(t, "2026-11-09"), To: day(t, "2026-11-22"), Categories: []string{"LINEAGE"}},
			total: 4,
			want: []string{
				"11-11 09:42 0 analytics.marts.revenue_daily.net_revenue | ines.falk  | LINEAGE ADD MINOR | Upstream analytics.marts.orders.net_revenue was added, column net_revenue",
				"11-11 09:42 -1 analytics.marts.orders.net_revenue | ines.falk  | LINEAGE ADD MINOR | Upstream analytics.staging.stg_refunds.amount was added, column net_revenue",
				"11-11 03:00 0 analytics.marts.revenue_daily.net_revenue | omar.reyes larkspur-nightly-2026-11-11 | LINEAGE REMOVE MINOR | Upstream analytics.marts.orders.net_revenue was removed, column net_revenue",
				"11-11 03:00 -1 analytics.marts.orders.net_revenue | omar.reyes larkspur-nightly-2026-11-11 | LINEAGE REMOVE MINOR | Upstream analytics.staging.stg_refunds.amount was removed, column net_revenue",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.ask.Count = 1000
			found, err := c.Lineage.Changes(ctx, test.ask)
			if err != nil {
				t.Fatal(err)
			}
			got := changed(found.Changes)
			if found.Total != test.total || len(got) != test.total || found.Partial {
				t.Errorf("%d changes, %d listed, %q", found.Total, len(got), found.Reason)
			}
			if diff := cmp.Diff(test.want, got[:min(len(test.want), len(got))]); diff != "" {
				t.Errorf("%s\nall:\n%s", diff, strings.Join(got, "\n"))
			}
			// Together, the pages have the same changes as the whole answer.
			var paged []string
			for start := 0; start <= test.total; start += 3 {
				test.ask.Start, test.ask.Count = start, 3
				page, err := c.Lineage.Changes(ctx, test.ask)
				if err != nil || page.Total != test.total || page.Start != start {
					t.Fatalf("%+v %v", page, err)
				}
				paged = append(paged, changed(page.Changes)...)
			}
			if !slices.Equal(paged, got) {
				t.Errorf("pages have %q\nthe whole %q", paged, got)
			}
		})
	}
	for name, test := range map[string]struct {
		ask  lineage.ChangesRequest
		code catalog.Code
		says string
	}{
		"backwards":      {lineage.ChangesRequest{URN: orders, From: 2, To: 1}, catalog.Invalid, "after the moment"},
		"from":           {lineage.ChangesRequest{URN: orders, From: -1}, catalog.Invalid, "milliseconds"},
		"to":             {lineage.ChangesRequest{URN: orders, To: -1}, catalog.Invalid, "milliseconds"},
		"hops":           {lineage.ChangesRequest{URN: orders, Hops: -1}, catalog.Invalid, "negative"},
		"start":          {lineage.ChangesRequest{URN: orders, Start: -1}, catalog.Invalid, "negative"},
		"count":          {lineage.ChangesRequest{URN: orders, Count: limits.MaxChangesPage + 1}, catalog.Invalid, "1000"},
		"category":       {lineage.ChangesRequest{URN: orders, Categories: []string{"WEATHER"}}, catalog.Invalid, "WEATHER"},
		"direction":      {lineage.ChangesRequest{URN: orders, Direction: "SIDEWAYS"}, catalog.Invalid, "direction"},
		"nothing known":  {lineage.ChangesRequest{URN: table(t, "marts.nothing")}, catalog.NotFound, "nothing is known"},
		"no such column": {lineage.ChangesRequest{URN: field(t, "marts.orders", "net_revenu")}, catalog.NotFound, "did you mean net_revenue?"},
	} {
		if _, err := c.Lineage.Changes(ctx, test.ask); catalog.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestChangesOfTheNearest: if there are more entities than may be read, the nearest entities
// are read.
func TestChangesOfTheNearest(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	var proposals []write.Proposal
	for i := range limits.MaxChangedEntities + 20 {
		proposals = append(proposals, write.Proposal{
			EntityType: "dataset", EntityURN: fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,changes.r%05d,PROD)", i), AspectName: "upstreamLineage",
			Aspect: &write.GenericAspect{ContentType: "application/json", Value: []byte(`{"upstreams":[{"dataset":"` + catalogtest.RawTable + `","type":"COPY"}]}`)},
		})
	}
	if _, err := h.IngestBatch(ctx, proposals, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	found, err := h.Lineage.Changes(ctx, lineage.ChangesRequest{URN: catalogtest.URN(catalogtest.RawTable), Count: 1000})
	if err != nil || !found.Partial || !strings.Contains(found.Reason, fmt.Sprintf("%d entities were reached", limits.MaxChangedEntities+21)) || found.Total != limits.MaxChangedEntities-1 {
		t.Errorf("%d changes, %q %v", found.Total, found.Reason, err)
	}
}

// TestChangesOfALargeHistory: an entity whose versions are too large to be read together is
// left out, and the answer says so.
func TestChangesOfALargeHistory(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	h.Say(catalogtest.Table, "upstreamLineage", `{"upstreams":[{"dataset":"`+catalogtest.RawTable+`","type":"COPY"}]}`)
	ask := func() *lineage.Changes {
		t.Helper()
		found, err := h.Lineage.Changes(ctx, lineage.ChangesRequest{URN: catalogtest.URN(catalogtest.RawTable), Count: 1000})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if found := ask(); found.Partial || found.Total == 0 {
		t.Errorf("before: %d changes, %q", found.Total, found.Reason)
	}
	const each = limits.MaxAspectBytes - 1000
	for i := range limits.MaxHistoriesBytes/each + 1 {
		h.Say(catalogtest.Table, "datasetProperties", fmt.Sprintf(`{"description":"%d%s"}`, i, strings.Repeat("x", each)))
	}
	if found := ask(); !found.Partial || found.Total != 0 || !strings.Contains(found.Reason, "the versions of 1 entities are larger than") {
		t.Errorf("%d changes, %q", found.Total, found.Reason)
	}
}

// TestImpactWays: the way to an affected entity leads from column to column as far as columns
// are stated, and otherwise only over affected entities.
func TestImpactWays(t *testing.T) {
	c, ctx := storied(t), context.Background()
	ways := func(r lineage.ImpactRequest, start, count int) (*lineage.ImpactReport, []string) {
		t.Helper()
		found, err := c.Lineage.ImpactPage(ctx, r, start, count, lineage.ImpactParts{Paths: true, Owners: true})
		if err != nil {
			t.Fatal(err)
		}
		lines := []string{}
		for i := range found.Rows {
			row := &found.Rows[i]
			line := fmt.Sprintf("%d %s %s %s:", row.Degree, row.Effect, last(row.URN), strings.Join(row.Columns, ","))
			for k, step := range row.Path {
				if (step.Edge == nil) != (k == 0) || k > 0 && step.Edge.Downstream != step.URN && model.StoredURN(step.URN).EntityType() != model.EntityDataJob {
					t.Errorf("step %d of the way to %s: %+v", k, row.URN, step)
				}
				line += " > " + last(step.URN)
			}
			lines = append(lines, line)
		}
		return found, lines
	}
	column := field(t, "marts.orders", "net_revenue")
	renamed := lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: column}, Change: lineage.ChangeRename}
	found, got := ways(renamed, 0, 100)
	want := []string{
		"1 certain analytics.marts.campaign_results revenue: > analytics.marts.orders.net_revenue > analytics.marts.campaign_results.revenue",
		"1 certain analytics.marts.revenue_daily net_revenue: > analytics.marts.orders.net_revenue > analytics.marts.revenue_daily.net_revenue",
		"1 certain larkspur-refunded : > analytics.marts.orders.net_revenue > larkspur-refunded",
		"2 certain return_on_spend revenue: > analytics.marts.orders.net_revenue > analytics.marts.campaign_results.revenue > return_on_spend.revenue",
		"2 certain revenue_days net_revenue: > analytics.marts.orders.net_revenue > analytics.marts.revenue_daily.net_revenue > revenue_days.net_revenue",
		"2 certain analytics.marts.executive_summary net_revenue: > analytics.marts.orders.net_revenue > analytics.marts.revenue_daily.net_revenue > analytics.marts.executive_summary.net_revenue",
		"3 certain net_revenue net_revenue: > analytics.marts.orders.net_revenue > analytics.marts.revenue_daily.net_revenue > analytics.marts.executive_summary.net_revenue > net_revenue.net_revenue",
		"2 certain larkspur-not-empty-revenue_daily : > analytics.marts.orders.net_revenue > analytics.marts.revenue_daily > larkspur-not-empty-revenue_daily",
		"2 certain larkspur-close : > analytics.marts.orders.net_revenue > analytics.marts.revenue_daily > larkspur-close",
		"3 certain larkspur-not-empty-executive_summary : > analytics.marts.orders.net_revenue > analytics.marts.revenue_daily > analytics.marts.executive_summary > larkspur-not-empty-executive_summary",
		"3 certain margin : > analytics.marts.orders.net_revenue > analytics.marts.revenue_daily > analytics.marts.executive_summary > margin",
		"3 certain campaigns : > analytics.marts.orders.net_revenue > analytics.marts.campaign_results > return_on_spend > campaigns",
		"3 certain close : > analytics.marts.orders.net_revenue > analytics.marts.revenue_daily > revenue_days > close",
		"3 certain export : > analytics.marts.orders.net_revenue > analytics.marts.revenue_daily > analytics.marts.executive_summary > export",
		"3 certain larkspur-lake/exports/board_pack : > analytics.marts.orders.net_revenue > analytics.marts.revenue_daily > analytics.marts.executive_summary > larkspur-lake/exports/board_pack",
		"4 certain board : > analytics.marts.orders.net_revenue > analytics.marts.revenue_daily > analytics.marts.executive_summary > margin > board",
		"1 possible basket_value : > analytics.marts.orders.net_revenue > basket_value",
		"1 possible orders_today : > analytics.marts.orders.net_revenue > orders_today",
		"1 possible analytics.marts.loyalty : > analytics.marts.orders.net_revenue > analytics.marts.loyalty",
		"2 possible loyal : > analytics.marts.orders.net_revenue > analytics.marts.loyalty > loyal",
		"2 possible sales : > analytics.marts.orders.net_revenue > basket_value > sales",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if found.Certain != 16 || found.Possible != 5 || found.Impact.Total != 21 {
		t.Errorf("%d certain, %d possible of %d", found.Certain, found.Possible, found.Impact.Total)
	}
	if _, some := ways(renamed, 2, 3); !slices.Equal(some, want[2:5]) {
		t.Errorf("a page: %q", some)
	}
	if _, none := ways(renamed, 21, 3); len(none) != 0 {
		t.Errorf("beyond the end: %q", none)
	}
	_, got = ways(lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: table(t, "marts.campaign_results")}}, 0, 100)
	want = []string{
		"1  return_on_spend : > analytics.marts.campaign_results > return_on_spend",
		"2  campaigns : > analytics.marts.campaign_results > return_on_spend > campaigns",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := lineage.ColumnOf(column, "x"); catalog.CodeOf(err) != catalog.Invalid {
		t.Errorf("a column of a column: %v", err)
	}
}

// TestWayToAJob: if the job is the only entity that states the origin of a column, the path to
// the job leads over the column that the job reads.
func TestWayToAJob(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	const job = "urn:li:dataJob:(urn:li:dataFlow:(airflow,ways,PROD),make)"
	h.Say(job, "dataJobInputOutput", `{"inputDatasets":[],"outputDatasets":[],"fineGrainedLineages":[`+
		`{"upstreamType":"FIELD_SET","upstreams":["`+catalogtest.ColumnOf(catalogtest.RawTable, "a")+`"],"downstreamType":"FIELD","downstreams":["`+catalogtest.ColumnOf(catalogtest.Table, "b")+`"]}]}`)
	found, err := h.Lineage.ImpactPage(ctx, lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.ColumnOf(catalogtest.RawTable, "a"))}}, 0, 10, lineage.ImpactParts{Paths: true})
	if err != nil || len(found.Rows) != 1 {
		t.Fatalf("%+v %v", found, err)
	}
	for _, row := range found.Rows {
		if len(row.Path) != 2 || row.Path[0].URN != catalogtest.ColumnOf(catalogtest.RawTable, "a") || row.Path[1].Edge == nil || !slices.Contains(row.Path[1].Edge.StatedBy, job) {
			t.Errorf("%+v", row)
		}
	}
}

// walkedAt is a store that records the moments of walks.
type walkedAt struct {
	graphstore.Store
	moments *[]int64
}

func (w walkedAt) Walk(ctx context.Context, q graphstore.WalkQuery) (graphstore.Walk, error) {
	*w.moments = append(*w.moments, q.AsOf)
	return w.Store.Walk(ctx, q)
}

// TestChangesAheadOfTheClock: stored changes have happened, even if their time is ahead of the
// clock of the request.
func TestChangesAheadOfTheClock(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	h.Say(catalogtest.Table, "datasetProperties", `{"description":"a"}`)
	behind := func() time.Time { return testclock.Now().Add(-time.Minute) }
	c := services.New(services.Options{Store: h.Store, Now: behind})
	u := catalogtest.URN(catalogtest.Table)
	found, err := c.Lineage.Changes(ctx, lineage.ChangesRequest{URN: u, From: 1, Count: 5})
	if err != nil || found.Total == 0 {
		t.Errorf("%+v %v", found, err)
	}
	timeline, err := c.History.Timeline(ctx, history.TimelineRequest{URN: u})
	if err != nil || len(timeline) == 0 {
		t.Errorf("%+v %v", timeline, err)
	}
	timeline, err = c.History.Timeline(ctx, history.TimelineRequest{URN: u, End: behind().UnixMilli()})
	if err != nil || len(timeline) != 0 {
		t.Errorf("with an end: %+v %v", timeline, err)
	}
}

// TestChangesUntilNow: the default end of the time is now. Such a request is answered from the
// current lineage, however long it takes.
func TestChangesUntilNow(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Say(catalogtest.Table, "datasetProperties", `{"description":"a"}`)
	read := testclock.Now()
	ticking := func() time.Time { read = read.Add(time.Second); return read }
	var moments []int64
	slow := services.New(services.Options{Store: walkedAt{h.Store, &moments}, Now: ticking})
	_, err := slow.Lineage.Changes(context.Background(), lineage.ChangesRequest{URN: catalogtest.URN(catalogtest.Table), Count: 5})
	h.Want("", err)
	if len(moments) == 0 || !slices.Contains(moments, 0) {
		t.Errorf("walked as of %v, and not of what is current", moments)
	}
}
