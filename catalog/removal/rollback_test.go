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
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// writtenRuns is a catalog that two runs wrote: "one" the table, "two" the
// upstream and a profile of the table.
func writtenRuns(t *testing.T) *catalogtest.Harness {
	h := catalogtest.NewHarness(t)
	h.Run("one", catalogtest.Table, "datasetProperties", `{"description":"a"}`)
	testclock.Forward(2 * time.Millisecond)
	h.Run("two", catalogtest.Upstream, "datasetProperties", `{"description":"a"}`)
	h.Run("two", catalogtest.Table, "datasetProfile", fmt.Sprintf(catalogtest.ProfileValue, 5))
	return h
}

// TestRuns: a run is listed with its rows as long as something that it wrote is
// the latest and not removed, the newest run first.
func TestRuns(t *testing.T) {
	h := writtenRuns(t)
	expect := func(when string, includeSoft bool, want string) {
		t.Helper()
		runs, total, err := h.Removal.Runs(context.Background(), 0, 10, includeSoft)
		h.Want("", err)
		text := fmt.Sprint(total)
		for _, r := range runs {
			if r.Timestamp == 0 {
				t.Errorf("%s has no time", r.RunID)
			}
			text += fmt.Sprintf(" %s:%d:%d", r.RunID, r.Rows, r.TimeSeriesRows)
		}
		if text != want {
			t.Errorf("%s: %s, want %s", when, text, want)
		}
	}
	expect("runs, with the default aspects", false, "2 two:5:1 one:5:0")
	h.Run("three", catalogtest.Table, "datasetProperties", `{"description":"a"}`)
	expect("after an equal write", false, "2 two:5:1 one:5:0")
	testclock.Forward(2 * time.Millisecond)
	h.Run("hide", catalogtest.Table, "status", `{"removed":true}`)
	expect("of what others did not remove", false, "2 hide:1:0 two:5:1")
	expect("all", true, "3 hide:1:0 two:5:1 one:5:0")
}

// TestDescribeRun: the rows of a run, page by page.
func TestDescribeRun(t *testing.T) {
	h := writtenRuns(t)
	h.Run("hide", catalogtest.Table, "status", `{"removed":true}`)
	describe := func(q removal.RunQuery) []removal.RunRow {
		t.Helper()
		rows, err := h.Removal.DescribeRun(context.Background(), q)
		h.Want("", err)
		return rows
	}
	rows := describe(removal.RunQuery{RunID: "two", Start: 1, Count: 10, IncludeAspect: true})
	if len(rows) != 5 || rows[4].AspectName != "datasetProfile" || rows[4].TimeSeriesRows != 1 || rows[4].Timestamp == 0 {
		t.Fatalf("rows of a run: %+v", rows)
	}
	for _, r := range rows[:4] {
		if r.Aspect == nil || r.URN != catalogtest.Upstream || r.RunID != "two" || r.KeyAspect != (r.AspectName == "datasetKey") {
			t.Errorf("row: %+v", r)
		}
	}
	if rows := describe(removal.RunQuery{RunID: "one", Count: 10}); len(rows) != 0 {
		t.Errorf("rows of a removed entity: %+v", rows)
	}
	if rows := describe(removal.RunQuery{RunID: "one", Count: 2, IncludeSoft: true}); len(rows) != 2 {
		t.Errorf("a page of rows: %+v", rows)
	}
}

// TestRunsRefused: questions about runs that cannot be meant, and a store that
// is away.
func TestRunsRefused(t *testing.T) {
	h, ctx := writtenRuns(t), context.Background()
	_, err := h.Removal.DescribeRun(ctx, removal.RunQuery{Count: 1})
	h.Want(catalog.Invalid, err)
	for _, page := range [][2]int{{-1, 5}, {0, removal.MaxRunPage + 1}} {
		_, _, err := h.Removal.Runs(ctx, page[0], page[1], false)
		h.Want(catalog.Invalid, err)
		_, err = h.Removal.DescribeRun(ctx, removal.RunQuery{RunID: "one", Start: page[0], Count: page[1]})
		h.Want(catalog.Invalid, err)
	}
	h.Store.FailRead = graphstore.ErrUnavailable
	_, _, err = h.Removal.Runs(ctx, 0, 5, false)
	h.Want(catalog.Unavailable, err)
	_, err = h.Removal.DescribeRun(ctx, removal.RunQuery{RunID: "one", Count: 1})
	h.Want(catalog.Unavailable, err)
}

// badRun is a catalog in which three runs wrote. The run "bad" is to be rolled back: it replaced the first
// run's aspects of the table, and made the upstream, to which the last run then added a tag.
type badRun struct{ *catalogtest.Harness }

func newBadRun(t *testing.T) badRun {
	h := badRun{catalogtest.NewHarness(t)}
	for _, w := range [][4]string{
		{"before", catalogtest.Table, "datasetProperties", `{"name":"orders","description":"first"}`},
		{"before", catalogtest.Table, "upstreamLineage", `{"upstreams":[{"dataset":"` + catalogtest.Upstream + `","type":"TRANSFORMED"}]}`},
		{"bad", catalogtest.Table, "datasetProperties", `{"name":"wrong","description":"second"}`},
		{"bad", catalogtest.Table, "datasetProperties", `{"name":"worse","description":"third"}`},
		{"bad", catalogtest.Table, "upstreamLineage", `{"upstreams":[]}`},
		{"bad", catalogtest.Table, "globalTags", `{"tags":[{"tag":"urn:li:tag:bad"}]}`},
		{"bad", catalogtest.Upstream, "datasetProperties", `{"description":"made by the run"}`},
		{"bad", catalogtest.Upstream, "status", `{"removed":false}`},
		{"bad", catalogtest.Upstream, "datasetProfile", fmt.Sprintf(catalogtest.ProfileValue, 5)},
		{"after", catalogtest.Upstream, "globalTags", `{"tags":[{"tag":"urn:li:tag:good"}]}`},
		{"after", catalogtest.Table, "ownership", `{"owners":[{"owner":"` + catalogtest.Ada + `","type":"DATAOWNER"}],"lastModified":` + catalogtest.Stamp + `}`},
	} {
		h.Run(w[0], w[1], w[2], w[3])
	}
	return h
}

// undone has the counts of a rollback of the bad run. A hard rollback reverts more aspects.
func undone(aspectsReverted int64) removal.Rollback {
	return removal.Rollback{
		RowsOfRun: 9, EntitiesAffected: 2, AspectsReverted: aspectsReverted, AspectsAffected: 1, EntitiesDeleted: 1, UnsafeEntitiesCount: 1,
		UnsafeEntities: []removal.UnsafeEntity{{catalogtest.Upstream}}, TimeSeriesRows: 1,
	}
}

// expect rolls back, and checks the counts and that rows are shown.
func (h badRun) expect(r removal.RollbackRequest, want removal.Rollback) {
	h.T.Helper()
	got := h.Rollback("", r)
	if len(got.Rows) == 0 {
		h.T.Errorf("%+v shows no rows", r)
	}
	short := *got
	short.Rows = nil
	if diff := cmp.Diff(want, short); diff != "" {
		h.T.Errorf("%+v (-want +got):\n%s", r, diff)
	}
}

// expectTableRestored checks that the table has the state it had before the bad run, with the changes of the
// last run.
func (h badRun) expectTableRestored() {
	h.T.Helper()
	before, err := h.Store.LatestAspects(context.Background(), []string{catalogtest.Table}, []string{"datasetProperties"})
	h.Want("", err)
	a := before[catalogtest.Table][0]
	if string(a.Value) != `{"name":"orders","description":"first"}` || a.System.RunID != "before" || a.System.LastObserved != 7 || a.CreatedBy != catalogtest.Ada || a.Seq != 1 {
		h.T.Errorf("restored: %+v", a)
	}
	if h.Value(catalogtest.Table, "datasetProperties", 1) != "" || h.Value(catalogtest.Table, "globalTags", 0) != "" {
		h.T.Error("versions of the run are left")
	}
	if got := h.Neighbours("OUTGOING", catalogtest.Table, "DownstreamOf", "TaggedWith"); !slices.Equal(got, []string{catalogtest.Upstream}) {
		h.T.Errorf("edges: %v", got)
	}
	if h.Value(catalogtest.Table, "ownership", 0) == "" {
		h.T.Error("what another run wrote is deleted")
	}
	if name := h.node(catalogtest.Table).Properties["name"]; name != "orders" {
		h.T.Errorf("the name of the node is %v", name)
	}
}

// node is an entity as the store has it.
func (h badRun) node(urn string) graphstore.Entity {
	h.T.Helper()
	nodes, err := h.Store.Entities(context.Background(), []string{urn})
	h.Want("", err)
	if len(nodes) != 1 {
		h.T.Fatalf("%s is %d nodes", urn, len(nodes))
	}
	return nodes[0]
}

// TestSoftRollback: entities that a run made are soft-deleted, and keep the aspects of other runs.
func TestSoftRollback(t *testing.T) {
	h := newBadRun(t)
	changes := len(h.Logged())
	h.expect(removal.RollbackRequest{Origin: catalogtest.OfRun("bad"), DryRun: true}, undone(8))
	if len(h.Logged()) != changes {
		t.Error("a dry run changed something")
	}
	h.expect(removal.RollbackRequest{Origin: catalogtest.OfRun("bad")}, undone(8))
	h.expectTableRestored()
	for aspect, want := range map[string]string{"status": `{"removed":true}`, "datasetProperties": "", "globalTags": `{"tags":[{"tag":"urn:li:tag:good"}]}`} {
		if got := h.Value(catalogtest.Upstream, aspect, 0); got != want {
			t.Errorf("%s of the entity that the run made is %q, want %q", aspect, got, want)
		}
	}
	second := h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("bad")})
	if second.EntitiesAffected != 0 || second.TimeSeriesRows != 0 {
		t.Errorf("again: %+v", second)
	}
}

// TestHardRollback: entities that a run made are deleted with all their aspects. A deleted entity
// to which others refer stays as a placeholder.
func TestHardRollback(t *testing.T) {
	h := newBadRun(t)
	h.expect(removal.RollbackRequest{Origin: catalogtest.OfRun("bad"), DryRun: true, Hard: true}, undone(9)) // with the key
	h.expect(removal.RollbackRequest{Origin: catalogtest.OfRun("bad"), Hard: true}, undone(10))              // and the tag of the other run
	h.expectTableRestored()
	if node := h.node(catalogtest.Upstream); node.Exists {
		t.Errorf("the entity that the run made: %+v, want a placeholder", node)
	}
	runs, _, err := h.Removal.Runs(context.Background(), 0, 10, true)
	h.Want("", err)
	if slices.ContainsFunc(runs, func(r removal.RunSummary) bool { return r.RunID == "bad" }) {
		t.Errorf("the run is still there: %v", runs)
	}
}

// TestRollbackInParts: whatever the size of the parts, they add up to the whole.
func TestRollbackInParts(t *testing.T) {
	for limit := 1; limit < 12; limit++ {
		h := newBadRun(t)
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
		h.expectTableRestored()
	}
}

// TestPreviewInParts: whatever the size of the parts of a dry run, also if they end within an entity, their
// counts add up to those of the whole, and nothing changes.
func TestPreviewInParts(t *testing.T) {
	for _, hard := range []bool{false, true} {
		h := newBadRun(t)
		request := removal.RollbackRequest{Origin: catalogtest.OfRun("bad"), Hard: hard, DryRun: true}
		whole := h.Rollback("", request)
		for limit := 1; limit < 12; limit++ {
			sum, calls := &removal.Rollback{Rows: []removal.RunRow{}, UnsafeEntities: []removal.UnsafeEntity{}}, 0
			request.Limit = limit
			for request.After = ""; ; calls++ {
				part := h.Rollback("", request)
				sum.Add(part)
				if request.After = part.Next; request.After == "" {
					break
				}
			}
			byKey := func(a, b removal.RunRow) int {
				return strings.Compare(a.URN+" "+a.AspectName, b.URN+" "+b.AspectName)
			}
			slices.SortFunc(whole.Rows, byKey) // the order of an entity's rows is the order of reading
			slices.SortFunc(sum.Rows, byKey)
			if diff := cmp.Diff(whole, sum); diff != "" || limit < 4 && calls < 2 {
				t.Errorf("limit %d in %d calls (-whole +parts):\n%s", limit, calls, diff)
			}
		}
		request.After = "rows:?"
		h.Rollback(catalog.Invalid, request)
		request.Limit, request.After = 0, ""
		if after := h.Rollback("", request); after.AspectsReverted != whole.AspectsReverted || after.TimeSeriesRows != 1 {
			t.Errorf("after the parts: %+v", after)
		}
	}
}

// TestRollbackShowsAgain: an entity that a run soft-deleted is shown again.
func TestRollbackShowsAgain(t *testing.T) {
	h := newBadRun(t)
	h.Run("stale", catalogtest.Table, "status", `{"removed":true}`)
	got := h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("stale")})
	if node := h.node(catalogtest.Table); got.AspectsReverted != 1 || node.Removed || h.Value(catalogtest.Table, "status", 0) != "" {
		t.Errorf("%+v, node %+v", got, node)
	}
}

// TestRollbackByRegistry: values that were written under one version of a registry are rolled back, and no
// others.
func TestRollbackByRegistry(t *testing.T) {
	h := newBadRun(t)
	of := func(version, aspect, value string) {
		p := catalogtest.InRun("custom", catalogtest.Table, aspect, value)
		p.System.RegistryName, p.System.RegistryVersion = "mine", version
		h.Attempt("", p)
	}
	of("2", "glossaryTerms", `{"terms":[{"urn":"urn:li:glossaryTerm:a"}],"auditStamp":`+catalogtest.Stamp+`}`)
	of("1", "status", `{"removed":false}`)
	got := h.Rollback("", removal.RollbackRequest{Origin: removal.Origin{Registry: removal.RegistryVersion{Name: "mine", Version: "2"}}, Hard: true})
	if got.AspectsReverted != 1 || h.Value(catalogtest.Table, "glossaryTerms", 0) != "" || h.Value(catalogtest.Table, "status", 0) == "" {
		t.Errorf("by registry: %+v", got)
	}
}

// TestRollbackRefused: a rollback that cannot be meant, or fails, changes
// nothing.
func TestRollbackRefused(t *testing.T) {
	h := newBadRun(t)
	for _, r := range []removal.RollbackRequest{
		{Origin: catalogtest.OfRun(catalog.NoRunID)},
		{},
		{Origin: catalogtest.OfRun("bad"), Limit: -1},
		{Origin: catalogtest.OfRun("bad"), After: "?"},
	} {
		h.Rollback(catalog.Invalid, r)
	}
	if got := h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("unknown")}); got.EntitiesAffected != 0 {
		t.Errorf("an unknown run: %+v", got)
	}
	h.Store.Fail = graphstore.ErrUnavailable
	h.Rollback(catalog.Unavailable, removal.RollbackRequest{Origin: catalogtest.OfRun("bad")})
	h.Store.Fail = nil
	if h.Value(catalogtest.Table, "datasetProperties", 0) != `{"name":"worse","description":"third"}` {
		t.Error("a rollback that failed changed something")
	}
}

// TestRollbackIsNoted: the execution request of the run states the result of the rollback.
func TestRollbackIsNoted(t *testing.T) {
	h := catalogtest.NewHarness(t)
	request := "urn:li:dataHubExecutionRequest:noted"
	h.Run("noted", catalogtest.Table, "datasetProperties", `{"description":"a"}`)
	h.Say(request, "dataHubExecutionRequestResult", `{"status":"SUCCESS","startTimeMs":1}`)
	h.Store.FailUpdateAt = h.Store.Updates.Load() + 2 // the first update notes that the rollback has begun
	h.Rollback(catalog.Unavailable, removal.RollbackRequest{Origin: catalogtest.OfRun("noted")})
	if got := h.Value(request, "dataHubExecutionRequestResult", 0); got != `{"startTimeMs":1,"status":"ROLLBACK_FAILED"}` {
		t.Errorf("after a failure: %s", got)
	}
	h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("noted"), DryRun: true})
	if got := h.Value(request, "dataHubExecutionRequestResult", 0); !strings.Contains(got, "ROLLBACK_FAILED") {
		t.Errorf("after a dry run: %s", got)
	}
	h.Want("", h.Removal.StartRollback(t.Context(), "noted", catalog.WriteOptions{}))
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
	h.Want(catalog.Invalid, h.Removal.StartRollback(t.Context(), "", catalog.WriteOptions{}))
	h.Stop()
	h.Want(catalog.Unavailable, h.Removal.StartRollback(t.Context(), "noted", catalog.WriteOptions{}))
}

// TestRollbackReachesTheIndex: searches do not find rolled-back values any more.
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

// TestInterruptedRollback: a rollback whose caller leaves ends between two transactions.
func TestInterruptedRollback(t *testing.T) {
	h := catalogtest.NewHarness(t)
	var proposals []write.Proposal
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
