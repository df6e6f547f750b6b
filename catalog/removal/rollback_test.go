package removal_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testclock"
)

func TestRuns(t *testing.T) {
	h := catalogtest.NewHarness(t)
	list := func(includeSoft bool) string {
		runs, total, err := h.Removal.Runs(context.Background(), 0, 10, includeSoft)
		h.Want("", err)
		text := fmt.Sprint(total)
		for _, r := range runs {
			if r.Timestamp == 0 {
				t.Errorf("%s has no time", r.RunID)
			}
			text += fmt.Sprintf(" %s:%d:%d", r.RunID, r.Rows, r.TimeSeriesRows)
		}
		return text
	}
	h.Run("one", catalogtest.Table, "datasetProperties", `{"description":"a"}`)
	testclock.Forward(2 * time.Millisecond)
	h.Run("two", catalogtest.Upstream, "datasetProperties", `{"description":"a"}`)
	h.Run("two", catalogtest.Table, "datasetProfile", fmt.Sprintf(catalogtest.ProfileValue, 5))
	if got := list(false); got != "2 two:5:1 one:5:0" { // with the default aspects
		t.Errorf("runs: %s", got)
	}
	h.Run("three", catalogtest.Table, "datasetProperties", `{"description":"a"}`)
	if got := list(false); got != "2 two:5:1 one:5:0" {
		t.Errorf("runs after an equal write: %s", got)
	}
	testclock.Forward(2 * time.Millisecond)
	h.Run("hide", catalogtest.Table, "status", `{"removed":true}`)
	if got := list(false); got != "1 two:5:1" {
		t.Errorf("runs of what is not removed: %s", got)
	}
	if got := list(true); got != "3 hide:1:0 two:5:1 one:5:0" {
		t.Errorf("all runs: %s", got)
	}
	rows, err := h.Removal.DescribeRun(context.Background(), removal.RunQuery{RunID: "two", Start: 1, Count: 10, IncludeAspect: true})
	h.Want("", err)
	if len(rows) != 5 || rows[4].AspectName != "datasetProfile" || rows[4].TimeSeriesRows != 1 || rows[4].Timestamp == 0 {
		t.Errorf("rows of a run: %+v", rows)
	}
	for _, r := range rows[:4] {
		if r.Aspect == nil || r.URN != catalogtest.Upstream || r.RunID != "two" || r.KeyAspect != (r.AspectName == "datasetKey") {
			t.Errorf("row: %+v", r)
		}
	}
	rows, err = h.Removal.DescribeRun(context.Background(), removal.RunQuery{RunID: "one", Count: 10})
	h.Want("", err)
	if len(rows) != 0 {
		t.Errorf("rows of a removed entity: %+v", rows)
	}
	rows, err = h.Removal.DescribeRun(context.Background(), removal.RunQuery{RunID: "one", Count: 2, IncludeSoft: true})
	h.Want("", err)
	if len(rows) != 2 {
		t.Errorf("a page of rows: %+v", rows)
	}
	_, err = h.Removal.DescribeRun(context.Background(), removal.RunQuery{Count: 1})
	h.Want(catalog.Invalid, err)
	for _, page := range [][2]int{{-1, 5}, {0, removal.MaxRunPage + 1}} {
		_, _, err := h.Removal.Runs(context.Background(), page[0], page[1], false)
		h.Want(catalog.Invalid, err)
		_, err = h.Removal.DescribeRun(context.Background(), removal.RunQuery{RunID: "one", Start: page[0], Count: page[1]})
		h.Want(catalog.Invalid, err)
	}
	h.Store.FailRead = graphstore.ErrUnavailable
	_, _, err = h.Removal.Runs(context.Background(), 0, 5, false)
	h.Want(catalog.Unavailable, err)
	_, err = h.Removal.DescribeRun(context.Background(), removal.RunQuery{RunID: "one", Count: 1})
	h.Want(catalog.Unavailable, err)
}

// TestRollback takes a run back that made an entity and changed another.
func TestRollback(t *testing.T) {
	prepare := func(t *testing.T) *catalogtest.Harness {
		h := catalogtest.NewHarness(t)
		h.Run("before", catalogtest.Table, "datasetProperties", `{"name":"orders","description":"first"}`)
		h.Run("before", catalogtest.Table, "upstreamLineage", `{"upstreams":[{"dataset":"`+catalogtest.Upstream+`","type":"TRANSFORMED"}]}`)
		h.Run("bad", catalogtest.Table, "datasetProperties", `{"name":"wrong","description":"second"}`)
		h.Run("bad", catalogtest.Table, "datasetProperties", `{"name":"worse","description":"third"}`)
		h.Run("bad", catalogtest.Table, "upstreamLineage", `{"upstreams":[]}`)
		h.Run("bad", catalogtest.Table, "globalTags", `{"tags":[{"tag":"urn:li:tag:bad"}]}`)
		h.Run("bad", catalogtest.Upstream, "datasetProperties", `{"description":"made by the run"}`)
		h.Run("bad", catalogtest.Upstream, "status", `{"removed":false}`)
		h.Run("bad", catalogtest.Upstream, "datasetProfile", fmt.Sprintf(catalogtest.ProfileValue, 5))
		h.Run("after", catalogtest.Upstream, "globalTags", `{"tags":[{"tag":"urn:li:tag:good"}]}`)
		h.Run("after", catalogtest.Table, "ownership", `{"owners":[{"owner":"`+catalogtest.Ada+`","type":"DATAOWNER"}],"lastModified":`+catalogtest.Stamp+`}`)
		return h
	}
	want := removal.Rollback{
		EntitiesAffected: 2, AspectsReverted: 8, AspectsAffected: 1, EntitiesDeleted: 1, UnsafeEntitiesCount: 1,
		UnsafeEntities: []removal.UnsafeEntity{{catalogtest.Upstream}}, TimeSeriesRows: 1,
	}
	check := func(t *testing.T, what string, got *removal.Rollback, want removal.Rollback) {
		t.Helper()
		if len(got.Rows) == 0 {
			t.Errorf("%s shows no rows", what)
		}
		short := *got
		short.Rows = nil
		if diff := cmp.Diff(want, short); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	restored := func(t *testing.T, h *catalogtest.Harness) {
		t.Helper()
		before, err := h.Store.LatestAspects(context.Background(), []string{catalogtest.Table}, []string{"datasetProperties"})
		h.Want("", err)
		a := before[catalogtest.Table][0]
		if string(a.Value) != `{"name":"orders","description":"first"}` || a.System.RunID != "before" || a.System.LastObserved != 7 || a.CreatedBy != catalogtest.Ada || a.Seq != 1 {
			t.Errorf("restored: %+v", a)
		}
		if h.Value(catalogtest.Table, "datasetProperties", 1) != "" || h.Value(catalogtest.Table, "globalTags", 0) != "" {
			t.Error("versions of the run are left")
		}
		if got := h.Neighbours("OUTGOING", catalogtest.Table, "DownstreamOf", "TaggedWith"); !slices.Equal(got, []string{catalogtest.Upstream}) {
			t.Errorf("edges: %v", got)
		}
		if h.Value(catalogtest.Table, "ownership", 0) == "" {
			t.Error("what another run wrote is gone")
		}
		nodes, err := h.Store.Entities(context.Background(), []string{catalogtest.Table})
		h.Want("", err)
		if nodes[0].Properties["name"] != "orders" {
			t.Errorf("properties of the node: %v", nodes[0].Properties)
		}
	}
	t.Run("soft", func(t *testing.T) {
		h := prepare(t)
		changes := len(h.Logged())
		check(t, "dry run", h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("bad"), DryRun: true}), want)
		if len(h.Logged()) != changes {
			t.Error("a dry run changed something")
		}
		check(t, "rollback", h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("bad")}), want)
		restored(t, h)
		if h.Value(catalogtest.Upstream, "status", 0) != `{"removed":true}` || h.Value(catalogtest.Upstream, "datasetProperties", 0) != "" || h.Value(catalogtest.Upstream, "globalTags", 0) == "" {
			t.Error("the entity that the run made is not as it should be")
		}
		again := h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("bad")})
		if again.EntitiesAffected != 0 || again.TimeSeriesRows != 0 {
			t.Errorf("again: %+v", again)
		}
	})
	t.Run("hard", func(t *testing.T) {
		h := prepare(t)
		hard := want
		hard.AspectsReverted = 9 // the key
		check(t, "dry run", h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("bad"), DryRun: true, Hard: true}), hard)
		hard.AspectsReverted = 10 // and the tag of the other run
		check(t, "rollback", h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("bad"), Hard: true}), hard)
		restored(t, h)
		nodes, err := h.Store.Entities(context.Background(), []string{catalogtest.Upstream})
		h.Want("", err)
		if len(nodes) != 1 || nodes[0].Exists {
			t.Errorf("the entity that the run made: %+v, want a placeholder", nodes)
		}
		if runs, _, _ := h.Removal.Runs(context.Background(), 0, 10, true); slices.ContainsFunc(runs, func(r removal.RunSummary) bool { return r.RunID == "bad" }) {
			t.Errorf("the run is still there: %v", runs)
		}
	})
	t.Run("in parts", func(t *testing.T) {
		for limit := 1; limit < 12; limit++ {
			h := prepare(t)
			sum, calls := removal.Rollback{}, 0
			for after := ""; ; calls++ {
				part := h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("bad"), Hard: true, Limit: limit, After: after})
				sum.AspectsReverted += part.AspectsReverted
				sum.TimeSeriesRows += part.TimeSeriesRows
				if after = part.Next; after == "" {
					break
				}
			}
			if sum.TimeSeriesRows != 1 || sum.AspectsReverted != 10 || limit < 4 && calls < 2 {
				t.Errorf("limit %d: %+v in %d calls", limit, sum, calls)
			}
			restored(t, h)
		}
	})
	t.Run("of a run that hid an entity", func(t *testing.T) {
		h := prepare(t)
		h.Run("stale", catalogtest.Table, "status", `{"removed":true}`)
		got := h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("stale")})
		nodes, err := h.Store.Entities(context.Background(), []string{catalogtest.Table})
		h.Want("", err)
		if got.AspectsReverted != 1 || nodes[0].Removed || h.Value(catalogtest.Table, "status", 0) != "" {
			t.Errorf("%+v, node %+v", got, nodes[0])
		}
	})
	t.Run("by registry", func(t *testing.T) {
		h := prepare(t)
		p := catalogtest.InRun("custom", catalogtest.Table, "glossaryTerms", `{"terms":[{"urn":"urn:li:glossaryTerm:a"}],"auditStamp":`+catalogtest.Stamp+`}`)
		p.System.RegistryName, p.System.RegistryVersion = "mine", "2"
		h.Attempt("", p)
		p = catalogtest.InRun("custom", catalogtest.Table, "status", `{"removed":false}`)
		p.System.RegistryName, p.System.RegistryVersion = "mine", "1"
		h.Attempt("", p)
		got := h.Rollback("", removal.RollbackRequest{Origin: catalog.Origin{Registry: catalog.RegistryVersion{Name: "mine", Version: "2"}}, Hard: true})
		if got.AspectsReverted != 1 || h.Value(catalogtest.Table, "glossaryTerms", 0) != "" || h.Value(catalogtest.Table, "status", 0) == "" {
			t.Errorf("by registry: %+v", got)
		}
	})
	t.Run("refused", func(t *testing.T) {
		h := prepare(t)
		h.Rollback(catalog.Invalid, removal.RollbackRequest{Origin: catalogtest.OfRun(catalog.NoRunID)})
		h.Rollback(catalog.Invalid, removal.RollbackRequest{})
		h.Rollback(catalog.Invalid, removal.RollbackRequest{Origin: catalogtest.OfRun("bad"), Limit: -1})
		h.Rollback(catalog.Invalid, removal.RollbackRequest{Origin: catalogtest.OfRun("bad"), After: "?"})
		if got := h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("unknown")}); got.EntitiesAffected != 0 {
			t.Errorf("an unknown run: %+v", got)
		}
		h.Store.Fail = graphstore.ErrUnavailable
		h.Rollback(catalog.Unavailable, removal.RollbackRequest{Origin: catalogtest.OfRun("bad")})
		h.Store.Fail = nil
		if h.Value(catalogtest.Table, "datasetProperties", 0) != `{"name":"worse","description":"third"}` {
			t.Error("a rollback that failed changed something")
		}
	})
}

// TestRollbackIsNoted: the execution request of the run says how it went.
func TestRollbackIsNoted(t *testing.T) {
	h := catalogtest.NewHarness(t)
	request := "urn:li:dataHubExecutionRequest:noted"
	h.Run("noted", catalogtest.Table, "datasetProperties", `{"description":"a"}`)
	h.Say(request, "dataHubExecutionRequestResult", `{"status":"SUCCESS","startTimeMs":1}`)
	h.Store.FailUpdateAt = h.Store.Updates.Load() + 2 // the first one notes that it has begun
	h.Rollback(catalog.Unavailable, removal.RollbackRequest{Origin: catalogtest.OfRun("noted")})
	if got := h.Value(request, "dataHubExecutionRequestResult", 0); got != `{"startTimeMs":1,"status":"ROLLBACK_FAILED"}` {
		t.Errorf("after a failure: %s", got)
	}
	h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("noted"), DryRun: true})
	if got := h.Value(request, "dataHubExecutionRequestResult", 0); !strings.Contains(got, "ROLLBACK_FAILED") {
		t.Errorf("after a dry run: %s", got)
	}
	h.Want("", h.Removal.StartRollback("noted", catalog.WriteOptions{}))
	testclock.Await(t, "the run is rolled back", func() bool {
		return strings.Contains(h.Value(request, "dataHubExecutionRequestResult", 0), `"ROLLED_BACK"`)
	})
	if got := h.Value(request, "dataHubExecutionRequestResult", 0); got != `{"startTimeMs":1,"status":"ROLLED_BACK"}` {
		t.Errorf("after success: %s", got)
	}
	h.Rollback(catalog.Invalid, removal.RollbackRequest{Origin: catalogtest.OfRun("noted"), After: "rows:?"})
	if got := h.Value(request, "dataHubExecutionRequestResult", 0); !strings.Contains(got, `"ROLLED_BACK"`) {
		t.Errorf("after a request that was refused: %s", got)
	}
	h.Want(catalog.Invalid, h.Removal.StartRollback("", catalog.WriteOptions{}))
	h.Stop()
	h.Want(catalog.Unavailable, h.Removal.StartRollback("noted", catalog.WriteOptions{}))
}

// TestRollbackReachesTheIndex: what was taken back is not found any more.
func TestRollbackReachesTheIndex(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	s.Run("before", catalogtest.Table, "datasetProperties", `{"name":"harvest"}`)
	s.Run("bad", catalogtest.Table, "datasetProperties", `{"name":"mistake"}`)
	s.Run("bad", catalogtest.Upstream, "datasetProperties", `{"name":"mistaken"}`)
	find := func(input string) []string {
		t.Helper()
		found, err := s.Search.Search(context.Background(), search.Request{Input: input, Count: 10})
		s.Want("", err)
		urns := []string{}
		for _, hit := range found.Hits {
			urns = append(urns, hit.URN)
		}
		return urns
	}
	if got := find("mistake"); len(got) != 2 {
		t.Fatalf("before: %v", got)
	}
	if _, err := s.Removal.Rollback(context.Background(), removal.RollbackRequest{Origin: catalogtest.OfRun("bad")}, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := find("mistake"); len(got) != 0 {
		t.Errorf("found after the rollback: %v", got)
	}
	if got := find("harvest"); !slices.Equal(got, []string{catalogtest.Table}) {
		t.Errorf("the older name is not found: %v", got)
	}
}

// TestInterruptedRollback: a caller who goes away ends it between transactions.
func TestInterruptedRollback(t *testing.T) {
	h := catalogtest.NewHarness(t)
	var proposals []catalog.Proposal
	for n := range 400 {
		proposals = append(proposals, catalogtest.InRun("long", fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,long.t%d,PROD)", n), "datasetProperties", `{"name":"x"}`))
	}
	_, err := h.IngestBatch(context.Background(), proposals, catalog.WriteOptions{})
	h.Want("", err)
	ctx, cancel := context.WithCancel(context.Background())
	h.Store.BeforeUpdate = func(n int64) {
		if n == 3 {
			cancel()
		}
	}
	h.Store.Updates.Store(0)
	_, err = h.Removal.Rollback(ctx, removal.RollbackRequest{Origin: catalogtest.OfRun("long"), Hard: true}, catalog.WriteOptions{})
	if err == nil || !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	h.Store.BeforeUpdate = nil
	left := h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("long"), DryRun: true, Hard: true})
	if left.AspectsReverted == 0 || left.AspectsReverted == 2000 {
		t.Errorf("%d aspects are left of 2000", left.AspectsReverted)
	}
	h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("long"), Hard: true})
	if runs, _, _ := h.Removal.Runs(context.Background(), 0, 10, true); len(runs) != 0 {
		t.Errorf("runs left: %v", runs)
	}
}
