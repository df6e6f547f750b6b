package removal_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

const domain = "urn:li:domain:sales" // has no status

// writeMixedRun writes a run that created entities, changed and hid others, and that wrote of
// an entity which others have hidden since.
func writeMixedRun(h *catalogtest.Harness, run string) {
	h.T.Helper()
	hidden, hiding := strings.Replace(catalogtest.Table, "PROD", "DEV", 1), strings.Replace(catalogtest.Table, "PROD", "TEST", 1)
	h.Run("before", catalogtest.Table, "datasetProperties", `{"description":"before"}`)
	h.Run("before", hiding, "datasetProperties", `{"description":"before"}`)
	testclock.Forward(2 * time.Millisecond)
	h.Run(run, catalogtest.Table, "datasetProperties", `{"description":"after"}`)
	h.Run(run, catalogtest.Upstream, "datasetProperties", `{"description":"new"}`)
	h.Run(run, catalogtest.Upstream, "datasetProfile", fmt.Sprintf(catalogtest.ProfileValue, 5))
	h.Run(run, hidden, "globalTags", `{"tags":[]}`)
	h.Run(run, hiding, "status", `{"removed":true}`)
	h.Run(run, hiding, "globalTags", `{"tags":[]}`)
	h.Run(run, domain, "domainProperties", `{"name":"Sales"}`)
	testclock.Forward(2 * time.Millisecond)
	h.Say(catalogtest.Upstream, "globalTags", `{"tags":[]}`)
	h.Say(hidden, "status", `{"removed":true}`)
}

// TestCountsAgree: the lists of runs, the description of a run, the dry run of a rollback,
// the rollback and its record count the same rows and values.
func TestCountsAgree(t *testing.T) {
	for _, hard := range []bool{false, true} {
		catalogtest.EmptyStores(t, func(t *testing.T, store graphstore.Store) {
			h := &catalogtest.Harness{Services: services.New(services.Options{Store: store, Now: testclock.Now}), T: t, Store: &catalogtest.Faulty{Store: store}}
			defer func() {
				if err := store.Close(); err != nil {
					t.Error(err)
				}
			}()
			ctx := context.Background()
			writeMixedRun(h, "mixed")
			counts := map[string]string{}
			overview := func(when string) removal.RunOverview {
				runs, _, err := h.Removal.ListRuns(ctx, removal.RunsRequest{Count: 10, WithoutRemoved: !hard})
				h.Want("", err)
				i := slices.IndexFunc(runs, func(r removal.RunOverview) bool { return r.RunID == "mixed" })
				if i < 0 {
					t.Fatalf("%s, the run is not among %+v", when, runs)
				}
				summary := runs[i].Summary(hard)
				counts["the list "+when] = fmt.Sprint(summary.Rows, summary.TimeSeriesRows)
				return runs[i]
			}
			overview("before")
			runs, _, err := h.Removal.Runs(ctx, 0, 10, hard)
			h.Want("", err)
			for _, r := range runs {
				if r.RunID == "mixed" {
					counts["the list of the wire"] = fmt.Sprint(r.Rows, r.TimeSeriesRows)
				}
			}
			rows, err := h.Removal.DescribeRun(ctx, removal.RunQuery{RunID: "mixed", Count: 100, IncludeSoft: hard})
			h.Want("", err)
			values := int64(0)
			for i := range rows {
				values += rows[i].TimeSeriesRows
			}
			counts["the description"] = fmt.Sprint(int64(len(rows))-values, values) // each series has one
			for _, limit := range []int{0, 3} {
				for _, dry := range []bool{true, false} {
					if !dry && limit > 0 != hard {
						continue // a rollback is done once, and a hard rollback in parts
					}
					total := removal.Rollback{}
					r := removal.RollbackRequest{Origin: catalogtest.OfRun("mixed"), Hard: hard, DryRun: dry, Limit: limit}
					for {
						part := h.Rollback("", r)
						total.Add(part)
						if r.After = part.Next; r.After == "" {
							break
						}
					}
					counts[fmt.Sprintf("the rollback, dry %t, limit %d", dry, limit)] = fmt.Sprint(total.RowsOfRun, total.TimeSeriesRows)
				}
				if !hard {
					break
				}
			}
			if run := overview("after"); !run.RolledBack {
				t.Errorf("the run is not rolled back: %+v", run)
			}
			want := counts["the list before"]
			for what, got := range counts {
				if got != want {
					t.Errorf("hard %t: %s counts %s, the list before %s", hard, what, got, want)
				}
			}
			if !strings.HasSuffix(want, " 1") || strings.HasPrefix(want, "0") {
				t.Errorf("hard %t: the list counts %s", hard, want)
			}
		})
	}
}

// TestRunsAskedFor: bookkeeping is listed when it is asked for, and the runs of a pipeline
// are found, rolled-back ones included.
func TestRunsAskedFor(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Say(catalogtest.Table, "globalTags", `{"tags":[]}`) // of no run
	h.Run(catalog.PlatformsRun, catalogtest.Table, "datasetProperties", `{"description":"a"}`)
	for i, run := range []string{"one", "two", "three"} {
		testclock.Forward(2 * time.Millisecond)
		p := catalogtest.InRun(run, catalogtest.Table, "datasetProperties", fmt.Sprintf(`{"description":"%d"}`, i))
		p.EntityURN = strings.Replace(catalogtest.Table, "PROD", "DEV", i%2)
		p.System.PipelineName = []string{"odd", "even"}[i%2]
		h.Attempt("", p)
	}
	ids := func(q removal.RunsRequest) string {
		t.Helper()
		q.Count += 10
		runs, total, err := h.Removal.ListRuns(context.Background(), q)
		h.Want("", err)
		text := fmt.Sprint(total)
		for i := range runs {
			text += " " + runs[i].RunID
			if runs[i].RolledBack {
				text += "-"
			}
		}
		return text
	}
	expect := func(when string, q removal.RunsRequest, want string) {
		t.Helper()
		if got := ids(q); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	expect("all but bookkeeping", removal.RunsRequest{}, "2 three two")
	expect("bookkeeping too", removal.RunsRequest{Bookkeeping: true}, "3 three two "+catalog.NoRunID)
	expect("of a pipeline", removal.RunsRequest{Pipeline: "odd"}, "1 three")
	expect("of no pipeline that is known", removal.RunsRequest{Pipeline: "none"}, "0")
	testclock.Forward(2 * time.Millisecond)
	h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("three")})
	expect("of a pipeline, after a rollback", removal.RunsRequest{Pipeline: "odd"}, "2 three- one")
	expect("the second of them", removal.RunsRequest{Pipeline: "odd", Start: 1}, "2 one")
	h.Say(catalogtest.Table, "status", `{"removed":true}`)
	expect("of soft-deleted entities too", removal.RunsRequest{}, "3 three- two one")
	expect("without those", removal.RunsRequest{WithoutRemoved: true}, "2 three- two")
	if run, effects, err := h.Removal.RunNamed(context.Background(), "three"); err != nil || run == nil || !run.RolledBack || run.Pipeline != "odd" || effects != 0 {
		t.Errorf("a run that was rolled back: %+v, %d effects, %v", run, effects, err)
	}
	if run, _, err := h.Removal.RunNamed(context.Background(), "four"); run != nil || err != nil {
		t.Errorf("an unknown run: %+v, %v", run, err)
	}
}
