package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testclock"
)

// inRun is a proposal of a run.
func inRun(run, urn, aspect, value string) Proposal {
	entityType, _, _ := strings.Cut(strings.TrimPrefix(urn, "urn:li:"), ":")
	return Proposal{
		EntityType: entityType, EntityURN: urn, AspectName: aspect, System: &SystemMetadata{RunID: run, LastObserved: 7},
		Aspect: &GenericAspect{Value: []byte(value), ContentType: "application/json"},
	}
}

func (h *harness) run(run, urn, aspect, value string) {
	h.t.Helper()
	h.ingest("", inRun(run, urn, aspect, value))
}

func (h *harness) rollback(want Code, r RollbackRequest) *Rollback {
	h.t.Helper()
	result, err := h.Rollback(context.Background(), r, WriteOptions{Actor: ada})
	h.want(want, err)
	return result
}

func ofRun(run string) Origin { return Origin{RunID: run} }

const profileValue = `{"timestampMillis":%d,"rowCount":1}`

func TestRuns(t *testing.T) {
	h := newHarness(t)
	list := func(includeSoft bool) string {
		runs, total, err := h.Runs(context.Background(), 0, 10, includeSoft)
		h.want("", err)
		text := fmt.Sprint(total)
		for _, r := range runs {
			if r.Timestamp == 0 {
				t.Errorf("%s has no time", r.RunID)
			}
			text += fmt.Sprintf(" %s:%d:%d", r.RunID, r.Rows, r.TimeSeriesRows)
		}
		return text
	}
	h.run("one", table, "datasetProperties", `{"description":"a"}`)
	testclock.Forward(2 * time.Millisecond)
	h.run("two", upstream, "datasetProperties", `{"description":"a"}`)
	h.run("two", table, "datasetProfile", fmt.Sprintf(profileValue, 5))
	if got := list(false); got != "2 two:5:1 one:5:0" { // with the default aspects
		t.Errorf("runs: %s", got)
	}
	h.run("three", table, "datasetProperties", `{"description":"a"}`)
	if got := list(false); got != "2 two:5:1 one:5:0" {
		t.Errorf("runs after an equal write: %s", got)
	}
	testclock.Forward(2 * time.Millisecond)
	h.run("hide", table, "status", `{"removed":true}`)
	if got := list(false); got != "1 two:5:1" {
		t.Errorf("runs of what is not removed: %s", got)
	}
	if got := list(true); got != "3 hide:1:0 two:5:1 one:5:0" {
		t.Errorf("all runs: %s", got)
	}
	rows, err := h.DescribeRun(context.Background(), RunQuery{RunID: "two", Start: 1, Count: 10, IncludeAspect: true})
	h.want("", err)
	if len(rows) != 5 || rows[4].AspectName != "datasetProfile" || rows[4].TimeSeriesRows != 1 || rows[4].Timestamp == 0 {
		t.Errorf("rows of a run: %+v", rows)
	}
	for _, r := range rows[:4] {
		if r.Aspect == nil || r.URN != upstream || r.RunID != "two" || r.KeyAspect != (r.AspectName == "datasetKey") {
			t.Errorf("row: %+v", r)
		}
	}
	rows, err = h.DescribeRun(context.Background(), RunQuery{RunID: "one", Count: 10})
	h.want("", err)
	if len(rows) != 0 {
		t.Errorf("rows of a removed entity: %+v", rows)
	}
	rows, err = h.DescribeRun(context.Background(), RunQuery{RunID: "one", Count: 2, IncludeSoft: true})
	h.want("", err)
	if len(rows) != 2 {
		t.Errorf("a page of rows: %+v", rows)
	}
	_, err = h.DescribeRun(context.Background(), RunQuery{Count: 1})
	h.want(Invalid, err)
	for _, page := range [][2]int{{-1, 5}, {0, MaxRunPage + 1}} {
		_, _, err := h.Runs(context.Background(), page[0], page[1], false)
		h.want(Invalid, err)
		_, err = h.DescribeRun(context.Background(), RunQuery{RunID: "one", Start: page[0], Count: page[1]})
		h.want(Invalid, err)
	}
	h.store.failRead = graphstore.ErrUnavailable
	_, _, err = h.Runs(context.Background(), 0, 5, false)
	h.want(Unavailable, err)
	_, err = h.DescribeRun(context.Background(), RunQuery{RunID: "one", Count: 1})
	h.want(Unavailable, err)
}

// TestRollback takes a run back that made an entity and changed another.
func TestRollback(t *testing.T) {
	prepare := func(t *testing.T) *harness {
		h := newHarness(t)
		h.run("before", table, "datasetProperties", `{"name":"orders","description":"first"}`)
		h.run("before", table, "upstreamLineage", `{"upstreams":[{"dataset":"`+upstream+`","type":"TRANSFORMED"}]}`)
		h.run("bad", table, "datasetProperties", `{"name":"wrong","description":"second"}`)
		h.run("bad", table, "datasetProperties", `{"name":"worse","description":"third"}`)
		h.run("bad", table, "upstreamLineage", `{"upstreams":[]}`)
		h.run("bad", table, "globalTags", `{"tags":[{"tag":"urn:li:tag:bad"}]}`)
		h.run("bad", upstream, "datasetProperties", `{"description":"made by the run"}`)
		h.run("bad", upstream, "status", `{"removed":false}`)
		h.run("bad", upstream, "datasetProfile", fmt.Sprintf(profileValue, 5))
		h.run("after", upstream, "globalTags", `{"tags":[{"tag":"urn:li:tag:good"}]}`)
		h.run("after", table, "ownership", `{"owners":[{"owner":"`+ada+`","type":"DATAOWNER"}],"lastModified":`+stamp+`}`)
		return h
	}
	want := Rollback{
		EntitiesAffected: 2, AspectsReverted: 8, AspectsAffected: 1, EntitiesDeleted: 1, UnsafeEntitiesCount: 1,
		UnsafeEntities: []UnsafeEntity{{upstream}}, TimeSeriesRows: 1,
	}
	check := func(t *testing.T, what string, got *Rollback, want Rollback) {
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
	restored := func(t *testing.T, h *harness) {
		t.Helper()
		before, err := h.store.LatestAspects(context.Background(), []string{table}, []string{"datasetProperties"})
		h.want("", err)
		a := before[table][0]
		if string(a.Value) != `{"name":"orders","description":"first"}` || a.System.RunID != "before" || a.System.LastObserved != 7 || a.CreatedBy != ada || a.Seq != 1 {
			t.Errorf("restored: %+v", a)
		}
		if h.value(table, "datasetProperties", 1) != "" || h.value(table, "globalTags", 0) != "" {
			t.Error("versions of the run are left")
		}
		if got := h.neighbours("OUTGOING", table, "DownstreamOf", "TaggedWith"); !slices.Equal(got, []string{upstream}) {
			t.Errorf("edges: %v", got)
		}
		if h.value(table, "ownership", 0) == "" {
			t.Error("what another run wrote is gone")
		}
		nodes, err := h.store.Entities(context.Background(), []string{table})
		h.want("", err)
		if nodes[0].Properties["name"] != "orders" {
			t.Errorf("properties of the node: %v", nodes[0].Properties)
		}
	}
	t.Run("soft", func(t *testing.T) {
		h := prepare(t)
		changes := len(h.changes())
		check(t, "dry run", h.rollback("", RollbackRequest{Origin: ofRun("bad"), DryRun: true}), want)
		if len(h.changes()) != changes {
			t.Error("a dry run changed something")
		}
		check(t, "rollback", h.rollback("", RollbackRequest{Origin: ofRun("bad")}), want)
		restored(t, h)
		if h.value(upstream, "status", 0) != `{"removed":true}` || h.value(upstream, "datasetProperties", 0) != "" || h.value(upstream, "globalTags", 0) == "" {
			t.Error("the entity that the run made is not as it should be")
		}
		again := h.rollback("", RollbackRequest{Origin: ofRun("bad")})
		if again.EntitiesAffected != 0 || again.TimeSeriesRows != 0 {
			t.Errorf("again: %+v", again)
		}
	})
	t.Run("hard", func(t *testing.T) {
		h := prepare(t)
		hard := want
		hard.AspectsReverted = 9 // the key
		check(t, "dry run", h.rollback("", RollbackRequest{Origin: ofRun("bad"), DryRun: true, Hard: true}), hard)
		hard.AspectsReverted = 10 // and the tag of the other run
		check(t, "rollback", h.rollback("", RollbackRequest{Origin: ofRun("bad"), Hard: true}), hard)
		restored(t, h)
		nodes, err := h.store.Entities(context.Background(), []string{upstream})
		h.want("", err)
		if len(nodes) != 1 || nodes[0].Exists {
			t.Errorf("the entity that the run made: %+v, want a placeholder", nodes)
		}
		if runs, _, _ := h.Runs(context.Background(), 0, 10, true); slices.ContainsFunc(runs, func(r RunSummary) bool { return r.RunID == "bad" }) {
			t.Errorf("the run is still there: %v", runs)
		}
	})
	t.Run("in parts", func(t *testing.T) {
		for limit := 1; limit < 12; limit++ {
			h := prepare(t)
			sum, calls := Rollback{}, 0
			for after := ""; ; calls++ {
				part := h.rollback("", RollbackRequest{Origin: ofRun("bad"), Hard: true, Limit: limit, After: after})
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
		h.run("stale", table, "status", `{"removed":true}`)
		got := h.rollback("", RollbackRequest{Origin: ofRun("stale")})
		nodes, err := h.store.Entities(context.Background(), []string{table})
		h.want("", err)
		if got.AspectsReverted != 1 || nodes[0].Removed || h.value(table, "status", 0) != "" {
			t.Errorf("%+v, node %+v", got, nodes[0])
		}
	})
	t.Run("by registry", func(t *testing.T) {
		h := prepare(t)
		p := inRun("custom", table, "glossaryTerms", `{"terms":[{"urn":"urn:li:glossaryTerm:a"}],"auditStamp":`+stamp+`}`)
		p.System.RegistryName, p.System.RegistryVersion = "mine", "2"
		h.ingest("", p)
		p = inRun("custom", table, "status", `{"removed":false}`)
		p.System.RegistryName, p.System.RegistryVersion = "mine", "1"
		h.ingest("", p)
		got := h.rollback("", RollbackRequest{Origin: Origin{Registry: RegistryVersion{Name: "mine", Version: "2"}}, Hard: true})
		if got.AspectsReverted != 1 || h.value(table, "glossaryTerms", 0) != "" || h.value(table, "status", 0) == "" {
			t.Errorf("by registry: %+v", got)
		}
	})
	t.Run("refused", func(t *testing.T) {
		h := prepare(t)
		h.rollback(Invalid, RollbackRequest{Origin: ofRun(NoRunID)})
		h.rollback(Invalid, RollbackRequest{})
		h.rollback(Invalid, RollbackRequest{Origin: ofRun("bad"), Limit: -1})
		h.rollback(Invalid, RollbackRequest{Origin: ofRun("bad"), After: "?"})
		if got := h.rollback("", RollbackRequest{Origin: ofRun("unknown")}); got.EntitiesAffected != 0 {
			t.Errorf("an unknown run: %+v", got)
		}
		h.store.fail = graphstore.ErrUnavailable
		h.rollback(Unavailable, RollbackRequest{Origin: ofRun("bad")})
		h.store.fail = nil
		if h.value(table, "datasetProperties", 0) != `{"name":"worse","description":"third"}` {
			t.Error("a rollback that failed changed something")
		}
	})
}

// TestRollbackIsNoted: the execution request of the run says how it went.
func TestRollbackIsNoted(t *testing.T) {
	h := newHarness(t)
	request := "urn:li:dataHubExecutionRequest:noted"
	h.run("noted", table, "datasetProperties", `{"description":"a"}`)
	h.say(request, "dataHubExecutionRequestResult", `{"status":"SUCCESS","startTimeMs":1}`)
	h.store.failUpdateAt = h.store.updates.Load() + 2 // the first one notes that it has begun
	h.rollback(Unavailable, RollbackRequest{Origin: ofRun("noted")})
	if got := h.value(request, "dataHubExecutionRequestResult", 0); got != `{"startTimeMs":1,"status":"ROLLBACK_FAILED"}` {
		t.Errorf("after a failure: %s", got)
	}
	h.rollback("", RollbackRequest{Origin: ofRun("noted"), DryRun: true})
	if got := h.value(request, "dataHubExecutionRequestResult", 0); !strings.Contains(got, "ROLLBACK_FAILED") {
		t.Errorf("after a dry run: %s", got)
	}
	h.want("", h.StartRollback("noted", WriteOptions{}))
	testclock.Await(t, "the run is rolled back", func() bool {
		return strings.Contains(h.value(request, "dataHubExecutionRequestResult", 0), `"ROLLED_BACK"`)
	})
	if got := h.value(request, "dataHubExecutionRequestResult", 0); got != `{"startTimeMs":1,"status":"ROLLED_BACK"}` {
		t.Errorf("after success: %s", got)
	}
	h.rollback(Invalid, RollbackRequest{Origin: ofRun("noted"), After: "rows:?"})
	if got := h.value(request, "dataHubExecutionRequestResult", 0); !strings.Contains(got, `"ROLLED_BACK"`) {
		t.Errorf("after a request that was refused: %s", got)
	}
	h.want(Invalid, h.StartRollback("", WriteOptions{}))
	h.Stop()
	h.want(Unavailable, h.StartRollback("noted", WriteOptions{}))
}

// TestRollbackReachesTheIndex: what was taken back is not found any more.
func TestRollbackReachesTheIndex(t *testing.T) {
	s := newSearchHarness(t)
	s.run("before", table, "datasetProperties", `{"name":"harvest"}`)
	s.run("bad", table, "datasetProperties", `{"name":"mistake"}`)
	s.run("bad", upstream, "datasetProperties", `{"name":"mistaken"}`)
	find := func(input string) []string {
		t.Helper()
		found, err := s.Search(context.Background(), SearchRequest{Input: input, Count: 10})
		s.want("", err)
		urns := []string{}
		for _, hit := range found.Hits {
			urns = append(urns, hit.URN)
		}
		return urns
	}
	if got := find("mistake"); len(got) != 2 {
		t.Fatalf("before: %v", got)
	}
	if _, err := s.Rollback(context.Background(), RollbackRequest{Origin: ofRun("bad")}, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := find("mistake"); len(got) != 0 {
		t.Errorf("found after the rollback: %v", got)
	}
	if got := find("harvest"); !slices.Equal(got, []string{table}) {
		t.Errorf("the older name is not found: %v", got)
	}
}

// TestInterruptedRollback: a caller who goes away ends it between transactions.
func TestInterruptedRollback(t *testing.T) {
	h := newHarness(t)
	var proposals []Proposal
	for n := range 400 {
		proposals = append(proposals, inRun("long", fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,long.t%d,PROD)", n), "datasetProperties", `{"name":"x"}`))
	}
	_, err := h.IngestBatch(context.Background(), proposals, WriteOptions{})
	h.want("", err)
	ctx, cancel := context.WithCancel(context.Background())
	h.store.beforeUpdate = func(n int64) {
		if n == 3 {
			cancel()
		}
	}
	h.store.updates.Store(0)
	_, err = h.Rollback(ctx, RollbackRequest{Origin: ofRun("long"), Hard: true}, WriteOptions{})
	if err == nil || !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	h.store.beforeUpdate = nil
	left := h.rollback("", RollbackRequest{Origin: ofRun("long"), DryRun: true, Hard: true})
	if left.AspectsReverted == 0 || left.AspectsReverted == 2000 {
		t.Errorf("%d aspects are left of 2000", left.AspectsReverted)
	}
	h.rollback("", RollbackRequest{Origin: ofRun("long"), Hard: true})
	if runs, _, _ := h.Runs(context.Background(), 0, 10, true); len(runs) != 0 {
		t.Errorf("runs left: %v", runs)
	}
}
