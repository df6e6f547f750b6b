package removal_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// listedRuns writes the page of runs as text.
func listedRuns(h *catalogtest.Harness, start, count int) string {
	h.T.Helper()
	runs, total, err := h.Removal.ListRuns(context.Background(), removal.RunsRequest{Start: start, Count: count})
	h.Want("", err)
	lines := []string{fmt.Sprint(total)}
	for i := range runs {
		r := &runs[i]
		line := fmt.Sprintf("%s rows %d values %d entities %d by %s in %q", r.RunID, r.Rows, r.TimeSeriesRows, r.Entities, r.Actor, r.Pipeline)
		if r.RolledBackAt != 0 {
			line += " rolled back by " + r.RolledBackBy
		}
		if r.RolledBack {
			line += ", all of it"
		}
		lines = append(lines, line)
		if r.Started == 0 || r.Ended < r.Started || r.RolledBackAt != 0 && r.RolledBack && r.RolledBackAt < r.Ended {
			h.T.Errorf("the times of a run: %+v", r)
		}
	}
	return strings.Join(lines, "\n")
}

// TestListRuns: runs are listed with the counts of their current values and, if they were rolled back as a
// whole or in parts, with the counts from before the rollback.
func TestListRuns(t *testing.T) {
	catalogtest.EmptyStores(t, func(t *testing.T, store graphstore.Store) {
		f := &catalogtest.Faulty{Store: store}
		h := &catalogtest.Harness{Services: services.New(services.Options{Store: f, Now: testclock.Now}), T: t, Store: f}
		defer func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}()
		if got := listedRuns(h, 0, 10); got != "0" {
			t.Errorf("of an empty catalog: %s", got)
		}
		h.Say(catalogtest.Table, "datasetProperties", `{"description":"before"}`) // of no run
		testclock.Forward(2 * time.Millisecond)
		h.Run("good", catalogtest.Table, "datasetProperties", `{"description":"good"}`)
		testclock.Forward(2 * time.Millisecond)
		h.Run("bad", catalogtest.Table, "datasetProperties", `{"description":"bad"}`)
		h.Run("bad", catalogtest.Upstream, "datasetProperties", `{"description":"new"}`)
		h.Run("bad", catalogtest.Table, "datasetProfile", fmt.Sprintf(catalogtest.ProfileValue, 5))
		testclock.Forward(2 * time.Millisecond)
		const bad = "bad rows 6 values 1 entities 2 by " + catalogtest.Ada + ` in "pipeline of bad"`
		good := func(rows int) string {
			return fmt.Sprintf("good rows %d values 0 entities %d by ", rows, min(rows, 1))
		}
		expect := func(when string, start, count int, want ...string) {
			t.Helper()
			got := strings.Split(listedRuns(h, start, count), "\n")
			if len(got) != len(want) {
				t.Fatalf("%s: %q, want %q", when, got, want)
			}
			for i := range want {
				if !strings.HasPrefix(got[i], want[i]) {
					t.Errorf("%s: %q, want %q", when, got[i], want[i])
				}
			}
		}
		// The good run's description is not current as long as the bad run's description is.
		expect("while all is current", 0, 10, "1", bad)
		for after, calls := "", 0; ; calls++ {
			part := h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("bad"), Hard: true, Limit: 1, After: after})
			if after = part.Next; after == "" {
				break
			}
			if calls > 20 {
				t.Fatal("the rollback does not end")
			}
		}
		undone := bad + " rolled back by " + catalogtest.Ada + ", all of it"
		expect("after the rollback", 0, 10, "2", undone, good(1))
		expect("a page", 1, 1, "2", good(1))
		expect("behind the end", 5, 1, "2")
		testclock.Forward(2 * time.Millisecond)
		h.Run("bad", catalogtest.Table, "datasetProperties", `{"description":"again"}`)
		expect("after the run has written again", 0, 10, "1", "bad rows 1 values 0 entities 1 by "+catalogtest.Ada+` in "pipeline of bad" rolled back by `+catalogtest.Ada)
		testclock.Forward(2 * time.Millisecond)
		h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("bad")})
		expect("after another rollback", 0, 10, "2", "bad rows 1 values 0 entities 1 by "+catalogtest.Ada+` in "pipeline of bad" rolled back by `+catalogtest.Ada+", all of it", good(1))
		h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("nothing is of this run")})
		h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("good"), DryRun: true})
		expect("after what rolled nothing back", 0, 10, "2", "bad ", good(1))
	})
}

// TestListedRunsRefused: pages that are too large, or too far, are refused.
func TestListedRunsRefused(t *testing.T) {
	h := catalogtest.NewHarness(t)
	for _, page := range [][2]int{{-1, 5}, {0, -1}, {0, limits.MaxRunCount + 1}, {removal.MaxRunPage, 1}} {
		_, _, err := h.Removal.ListRuns(context.Background(), removal.RunsRequest{Start: page[0], Count: page[1]})
		h.Want(catalog.Invalid, err)
	}
	_, err := h.Removal.Run(context.Background(), removal.RunQuery{RunID: "x", Count: limits.MaxRunCount + 1})
	h.Want(catalog.Invalid, err)
	_, err = h.Removal.Run(context.Background(), removal.RunQuery{Count: 5})
	h.Want(catalog.Invalid, err)
	_, err = h.Removal.RollbackPart(context.Background(), removal.RollbackRequest{Origin: catalogtest.OfRun("x")}, "y", catalog.WriteOptions{})
	h.Want(catalog.Invalid, err)
	_, err = h.Removal.RollbackPart(context.Background(), removal.RollbackRequest{}, "", catalog.WriteOptions{})
	h.Want(catalog.Invalid, err)
}

// TestRollbackOnReplica: a replica refuses each part of a rollback, as it refuses other writes,
// and answers its preview.
func TestRollbackOnReplica(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Run("one", catalogtest.Table, "datasetProperties", `{"description":"a"}`)
	replica := services.New(services.Options{Store: h.Store, Now: testclock.Now, ReplicaOf: "http://source"})
	r := removal.RollbackRequest{Origin: catalogtest.OfRun("one")}
	for range 2 {
		part, err := replica.Removal.RollbackPart(t.Context(), r, "one", catalog.WriteOptions{})
		if h.Want(catalog.Forbidden, err); part != nil {
			t.Errorf("%+v", part)
		}
	}
	_, err := replica.Removal.Rollback(t.Context(), r, catalog.WriteOptions{})
	h.Want(catalog.Forbidden, err)
	if preview, err := replica.Removal.RollbackPreview(t.Context(), r); err != nil || preview.AspectsReverted == 0 {
		t.Errorf("%+v %v", preview, err)
	}
}

// TestRun: the effects of a run have the values before and after, and tell which entities
// it created.
func TestRun(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Run("one", catalogtest.Table, "datasetProperties", `{"description":"a"}`)
	testclock.Forward(2 * time.Millisecond)
	h.Run("two", catalogtest.Table, "datasetProperties", `{"description":"b"}`)
	h.Run("two", catalogtest.Table, "datasetProperties", `{"description":"c"}`)
	h.Run("two", catalogtest.Table, "datasetProfile", fmt.Sprintf(catalogtest.ProfileValue, 5))
	h.Run("two", catalogtest.Upstream, "globalTags", `{"tags":[]}`)
	read := func(run string, values bool, start, count int) (*removal.RunPage, []string) {
		t.Helper()
		page, err := h.Removal.Run(context.Background(), removal.RunQuery{RunID: run, Start: start, Count: count, IncludeAspect: values})
		h.Want("", err)
		if page == nil {
			return nil, nil
		}
		var rows []string
		for _, e := range page.Effects {
			if e.AspectName == "datasetProperties" || e.AspectName == "globalTags" || e.TimeSeriesRows > 0 {
				rows = append(rows, fmt.Sprintf("%s %s %t %d %s -> %s", e.URN, e.AspectName, e.Created, e.TimeSeriesRows, e.Before, e.Aspect))
			}
		}
		return page, rows
	}
	want := []string{
		catalogtest.Table + ` datasetProperties false 0 {"description":"a"} -> {"description":"c"}`,
		catalogtest.Upstream + ` globalTags true 0  -> {"tags":[]}`,
		catalogtest.Table + ` datasetProfile false 1  -> `,
	}
	page, rows := read("two", true, 0, 100)
	if strings.Join(rows, "\n") != strings.Join(want, "\n") || int(page.Total) != len(page.Effects) || page.Entities != 2 || page.Rows != int64(len(page.Effects)-1) || page.TimeSeriesRows != 1 {
		t.Errorf("%+v\n%s", page.RunOverview, strings.Join(rows, "\n"))
	}
	without, rows := read("two", false, 0, 100)
	if len(without.Effects) != len(page.Effects) || strings.Contains(strings.Join(rows, ""), "{") {
		t.Errorf("without values: %q", rows)
	}
	for start := range page.Effects {
		one, _ := read("two", true, start, 1)
		if len(one.Effects) != 1 || one.Effects[0].URN != page.Effects[start].URN || one.Effects[0].AspectName != page.Effects[start].AspectName || one.Total != page.Total {
			t.Errorf("row %d: %+v", start, one.Effects)
		}
	}
	if page, _ := read("three", true, 0, 5); page != nil {
		t.Errorf("an unknown run: %+v", page)
	}
	h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("two"), Hard: true})
	if page, _ = read("two", true, 0, 5); page == nil || !page.RolledBack || page.RolledBackBy != catalogtest.Ada || page.Rows != 6 || len(page.Effects) != 0 || page.Total != 0 {
		t.Errorf("a run that was rolled back: %+v", page)
	}
}

// TestRunWithLargeValues: a page of a run ends when its values are large.
func TestRunWithLargeValues(t *testing.T) {
	h := catalogtest.NewHarness(t)
	large := fmt.Sprintf(`{"description":%q}`, strings.Repeat("x", limits.MaxRunBytes/3))
	for i := range 5 {
		h.Run("large", fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,db.large%d,PROD)", i), "datasetProperties", large)
	}
	read := 0
	for pages := 0; ; pages++ {
		page, err := h.Removal.Run(context.Background(), removal.RunQuery{RunID: "large", Start: read, Count: 100, IncludeAspect: true})
		h.Want("", err)
		if read += len(page.Effects); read == int(page.Total) {
			if pages < 2 {
				t.Errorf("%d rows in %d pages", read, pages+1)
			}
			return
		}
		if len(page.Effects) == 0 {
			t.Fatalf("an empty page after %d of %d rows", read, page.Total)
		}
	}
}

// runIDs are the ids of a page of runs.
func runIDs(h *catalogtest.Harness, start, count int) []string {
	h.T.Helper()
	runs, _, err := h.Removal.ListRuns(context.Background(), removal.RunsRequest{Start: start, Count: count})
	h.Want("", err)
	var ids []string
	for i := range runs {
		ids = append(ids, runs[i].RunID)
	}
	return ids
}

// TestRolledBackIsSinceThen: a run counts as rolled back if its rollback had rows, and no stored value of
// the run is newer than the rollback.
func TestRolledBackIsSinceThen(t *testing.T) {
	h := catalogtest.NewHarness(t)
	is := func(run string) (rolledBack bool, rows int64) {
		t.Helper()
		page, err := h.Removal.Run(context.Background(), removal.RunQuery{RunID: run, Count: 1})
		h.Want("", err)
		return page.RolledBack, page.Rows
	}
	h.Run("late", catalogtest.Table, "datasetProperties", `{"description":"a"}`)
	testclock.Forward(2 * time.Millisecond)
	h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("late")})
	if rolledBack, rows := is("late"); !rolledBack || rows == 0 {
		t.Errorf("after the rollback: %v, %d rows", rolledBack, rows)
	}
	testclock.Forward(2 * time.Millisecond)
	h.Run("late", catalogtest.Table, "datasetProperties", `{"description":"b"}`)
	h.Say(catalogtest.Table, "status", `{"removed":true}`)
	if rolledBack, _ := is("late"); rolledBack {
		t.Error("rolled back, but it has written again")
	}
	h.Run("begun", catalogtest.Upstream, "datasetProperties", `{"description":"a"}`)
	h.Say(catalogtest.Upstream, "status", `{"removed":true}`)
	testclock.Forward(2 * time.Millisecond)
	h.Want("", h.RecordRollback(context.Background(), &write.RollbackRecord{RunID: "begun"}, catalogtest.Ada))
	if rolledBack, rows := is("begun"); rolledBack || rows == 0 {
		t.Errorf("after a rollback of nothing: %v, %d rows", rolledBack, rows)
	}
}

// TestPagesOfRuns: the pages of a list have each run once, also a run of which the newest values
// were rolled back while older values are stored.
func TestPagesOfRuns(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Say(catalogtest.Table, "datasetProperties", `{"description":"before"}`)
	testclock.Forward(2 * time.Millisecond)
	h.Run("undone", catalogtest.Upstream, "datasetProperties", `{"description":"new"}`) // its key remains
	testclock.Forward(2 * time.Millisecond)
	h.Run("between", catalogtest.Table, "globalTags", `{"tags":[]}`)
	testclock.Forward(2 * time.Millisecond)
	h.Run("undone", catalogtest.Table, "datasetProperties", `{"description":"after"}`)
	testclock.Forward(2 * time.Millisecond)
	h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("undone")})
	for count := 1; count <= 3; count++ {
		var got []string
		for start := 0; start < 3; start += count {
			got = append(got, runIDs(h, start, count)...)
		}
		if strings.Join(got, " ") != "undone between" {
			t.Errorf("in pages of %d: %q", count, got)
		}
	}
}
