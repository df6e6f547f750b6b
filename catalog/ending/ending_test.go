package ending_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/ending"
	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testleaks"
	"github.com/headwater-io/headwater/model"
)

func TestMain(m *testing.M) { testleaks.Main(m) }

const (
	source = "urn:li:dataHubIngestionSource:shop"
	chart  = "urn:li:chart:(looker,sales)"
	job    = "urn:li:dataJob:(urn:li:dataFlow:(airflow,nightly,PROD),load)"
)

func table(name string) string { return catalogtest.Dataset("hive", name, "PROD") }

// house is a catalog of a server whose lineage fades after two runs and ends after three.
type house struct{ *catalogtest.Harness }

const fading, endingAfter = 2, 3

func onStores(t *testing.T, test func(h house)) {
	for name, on := range map[string]func(testing.TB) *catalogtest.Harness{
		"embedded": catalogtest.NewHarness,
		"neo4j":    func(t testing.TB) *catalogtest.Harness { return catalogtest.NewServersHarness(t).Harness },
	} {
		t.Run(name, func(t *testing.T) { test(newHouse(t, on)) })
	}
}

func newHouse(t *testing.T, on func(testing.TB) *catalogtest.Harness) house {
	t.Helper()
	h := house{on(t)}
	h.Services = services.New(services.Options{Store: h.Store, Now: testclock.Now, FadingAfter: fading, SaveFollowers: catalogtest.SaveFollowers, Logger: slog.New(slog.DiscardHandler)})
	s := &ingestion.Source{Name: "Shop", Type: "postgres", ExecutorID: "default", Recipe: `{"source":{"type":"postgres"}}`}
	if err := h.Ingestion.Put(t.Context(), catalogtest.URN(source), s, catalogtest.ByAda.WithoutWait()); err != nil {
		t.Fatal(err)
	}
	h.settle()
	return h
}

// state is one aspect that a run states.
type state struct{ urn, aspect, value string }

func upstream(of string, tables ...string) state {
	var list, columns []string
	for _, up := range tables {
		list = append(list, fmt.Sprintf(`{"dataset":%q,"type":"COPY","auditStamp":%s}`, table(up), catalogtest.Stamp))
		columns = append(columns, fmt.Sprintf(`{"upstreamType":"FIELD_SET","upstreams":["urn:li:schemaField:(%s,a)"],"downstreamType":"FIELD","downstreams":["urn:li:schemaField:(%s,b)"]}`, table(up), table(of)))
	}
	return state{table(of), model.AspectUpstreamLineage, `{"upstreams":[` + strings.Join(list, ",") + `],"fineGrainedLineages":[` + strings.Join(columns, ",") + `]}`}
}

// drawnByHand adds to lineage an upstream table that somebody has drawn by hand, as a source does that patches.
func drawnByHand(s state) state {
	s.value = strings.Replace(s.value, `"upstreams":[`, `"upstreams":[{"dataset":"`+table("hand")+`","type":"TRANSFORMED","auditStamp":`+catalogtest.Stamp+`,"properties":{"source":"UI"}},`, 1)
	return s
}

// ran is a run of the source that ends with a status and states some aspects. It returns the URN of the run.
func (h house) ran(status string, states ...state) string {
	h.T.Helper()
	testclock.Forward(time.Hour)
	ctx := h.T.Context()
	urn, err := h.Ingestion.Request(ctx, catalogtest.URN(source), catalogtest.ByAda.WithoutWait())
	if err != nil {
		h.T.Fatal(err)
	}
	r, err := h.Ingestion.Take(ctx, ingestion.Claim{Worker: "w"})
	if err != nil || r == nil || r.URN != urn {
		h.T.Fatalf("%+v, %v", r, err)
	}
	for _, s := range states {
		p := catalogtest.InRun(urn, s.urn, s.aspect, s.value)
		p.System.PipelineName, p.System.LastObserved = source, testclock.Now().UnixMilli()
		h.Attempt("", p)
	}
	if err := h.Ingestion.End(ctx, ingestion.Outcome{Lease: r.Lease, Status: status}); err != nil {
		h.T.Fatal(err)
	}
	h.settle()
	return urn
}

// settle ends lineage until the end of the change log, as a server does that is started and stopped.
func (h house) settle() {
	h.T.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := h.Ending.Run(ctx, endingAfter); err != nil {
			h.T.Error(err)
		}
	})
	testclock.Await(h.T, "the follower has every change", func() bool {
		all, err := h.Delivery.Followers(context.Background())
		at := slices.IndexFunc(all, func(f delivery.Follower) bool { return f.Name == ending.Follower })
		return err == nil && at >= 0 && all[at].Lag == 0
	})
	cancel()
	running.Wait()
}

// upstreams lists the entities one hop upstream of an entity: short names, with * for those whose edge fades.
func (h house) upstreams(of string) []string {
	h.T.Helper()
	found, err := h.Lineage.Of(h.T.Context(), lineage.Request{Walk: lineage.WalkQuery{URN: catalogtest.URN(of), Direction: lineage.Upstream, MaxHops: 1}, Count: 100, Paths: 1, Edges: true})
	if err != nil {
		h.T.Fatal(err)
	}
	names := []string{}
	for i := range found.Entities {
		e := &found.Entities[i]
		last := e.Paths[0][len(e.Paths[0])-1].Edge
		name := e.URN[strings.LastIndexByte(strings.TrimSuffix(e.URN, ",PROD)"), ',')+1:]
		if name = strings.TrimSuffix(strings.TrimSuffix(name, ",PROD)"), ")"); last.Fading != nil {
			name += "*"
		}
		at := slices.IndexFunc(found.Edges, func(l lineage.Link) bool { return l.Upstream == last.Upstream && l.Downstream == last.Downstream })
		if at < 0 || !cmp.Equal(found.Edges[at].Fading, last.Fading) {
			h.T.Errorf("the edge of the path fades as %+v, and the list has another: %+v", last.Fading, found.Edges)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (h house) want(of string, names ...string) {
	h.T.Helper()
	if diff := cmp.Diff(append([]string{}, names...), h.upstreams(of)); diff != "" {
		h.T.Errorf("upstream of %s: %s", of, diff)
	}
}

// TestEnding: lineage that three good runs of its source have not stated again ends, with the run that last saw it.
// What is stated again, what people draw, and all else that an aspect says stays. A rollback of the ending restores it,
// and so does the source.
func TestEnding(t *testing.T) {
	onStores(t, func(h house) {
		all := []state{
			drawnByHand(upstream("gone", "a", "b")), upstream("kept", "a"), upstream("other", "a"),
			{chart, model.AspectChartInfo, `{"title":"Sales","description":"","inputs":[{"string":"` + table("a") + `"}],"lastModified":{"created":` + catalogtest.Stamp + `,"lastModified":` + catalogtest.Stamp + `}}`},
			{job, model.AspectDataJobInputOutput, `{"inputDatasets":["` + table("a") + `"],"outputDatasets":["` + table("b") + `"],"inputDatajobs":[]}`},
		}
		first := h.ran("SUCCESS", all...)
		restated := all[1:3]
		h.ran("SUCCESS", restated...)
		h.ran("FAILURE")
		h.want(table("gone"), "a", "b", "hand")
		h.ran("SUCCESS", restated...)
		h.want(table("gone"), "a*", "b*", "hand")
		h.fadesEverywhere(table("a"), table("gone"), first)
		h.ran("FAILURE")
		h.want(table("gone"), "a*", "b*", "hand")
		before := testclock.Now().UnixMilli()
		testclock.Forward(time.Second)
		h.ran("SUCCESS", restated...)
		h.want(table("gone"), "hand")
		h.want(chart)
		h.want(job)
		h.want(table("b"))
		h.want(table("kept"), "a")
		h.want("urn:li:schemaField:(" + table("gone") + ",b)")
		if value := h.Value(chart, model.AspectChartInfo, 0); !strings.Contains(value, `"Sales"`) || strings.Contains(value, "hive") {
			h.T.Errorf("the chart is %s", value)
		}
		diff, err := h.Lineage.Diff(h.T.Context(), lineage.DiffRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(table("gone")), Direction: lineage.Upstream}, Before: before})
		if err != nil || len(diff.EdgesEnded) != 4 {
			h.T.Fatalf("%+v, %v", diff, err)
		}
		run := "unseen-since:" + first
		for _, e := range diff.EdgesEnded {
			if e.UntilRun != run {
				h.T.Errorf("%s was ended by the run %q, want %q", e.Upstream, e.UntilRun, run)
			}
		}
		h.ran("SUCCESS", restated...)
		h.want(table("gone"), "hand")

		h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun(run)})
		h.want(chart, "a*")
		h.want(job, "a*")
		h.ran("SUCCESS", append(slices.Clone(restated), upstream("gone", "a"))...)
		h.want(table("gone"), "a")
	})
}

// fadesEverywhere: an edge fades on paths between its ends and in comparisons with the past, and not as of the past.
func (h house) fadesEverywhere(up, down, seenBy string) {
	h.T.Helper()
	ctx, now := h.T.Context(), testclock.Now().UnixMilli()
	between, err := h.Lineage.Between(ctx, lineage.BetweenRequest{From: catalogtest.URN(up), To: catalogtest.URN(down), Most: 1})
	if err != nil || len(between.Paths) != 1 {
		h.T.Fatalf("%+v, %v", between, err)
	}
	f := between.Paths[0][1].Edge.Fading
	if f == nil || f.Runs != fading || f.LastSeenRun != seenBy || !strings.HasPrefix(f.Text(), "2 later good runs of its source did not state it, last seen 20") || !strings.HasSuffix(f.Text(), " by "+seenBy) {
		h.T.Errorf("the path fades as %+v: %s", f, f.Text())
	}
	past, err := h.Lineage.Between(ctx, lineage.BetweenRequest{From: catalogtest.URN(up), To: catalogtest.URN(down), Most: 1, AsOf: now})
	if err != nil || past.Paths[0][1].Edge.Fading != nil {
		h.T.Errorf("an edge of the past fades: %+v, %v", past, err)
	}
	diff, err := h.Lineage.Diff(ctx, lineage.DiffRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(down), Direction: lineage.Upstream}, Before: 1})
	if err != nil || !slices.ContainsFunc(diff.EdgesAdded, func(e lineage.Link) bool { return e.Upstream == up && cmp.Equal(e.Fading, f) }) {
		h.T.Errorf("the comparison does not say that the edge fades: %+v, %v", diff, err)
	}
}

// TestMassEnding: if more than three quarters of the lineage of a source would end, all of it goes on, and fades.
func TestMassEnding(t *testing.T) {
	onStores(t, func(h house) {
		h.ran("SUCCESS", upstream("one", "a"), upstream("two", "a"), upstream("three", "a"), upstream("four", "a"), upstream("five", "a"))
		for range 4 {
			h.ran("SUCCESS", upstream("one", "a"))
		}
		h.want(table("one"), "a")
		h.want(table("two"), "a*")
		h.want(table("five"), "a*")
		h.ran("SUCCESS", upstream("one", "a"), upstream("five", "a"))
		h.want(table("two"))
		h.want(table("four"))
		h.want(table("five"), "a")
	})
}

// TestNobodyRuns: lineage of a source whose runs fail, that is deleted, or that has another pipeline now goes on.
func TestNobodyRuns(t *testing.T) {
	h := newHouse(t, catalogtest.NewHarness)
	h.ran("SUCCESS", upstream("gone", "a"), upstream("kept", "a"))
	h.ran("SUCCESS", upstream("kept", "a"))
	h.ran("SUCCESS", upstream("kept", "a"))
	for range 4 {
		h.ran("FAILURE", upstream("kept", "a"))
		h.ran("CANCELLED")
	}
	h.want(table("gone"), "a*")
	if err := h.Ingestion.Delete(t.Context(), catalogtest.URN(source), catalogtest.ByAda.WithoutWait()); err != nil {
		t.Fatal(err)
	}
	h.settle()
	h.want(table("gone"), "a")
}

// statedAgain states lineage again just before it ends.
type statedAgain struct {
	ending.Writer
	again func()
}

func (s *statedAgain) EditWith(ctx context.Context, edits []write.Edit, properties map[string]string, o catalog.WriteOptions) error {
	s.again()
	return s.Writer.EditWith(ctx, edits, properties, o)
}

// TestStatedMeanwhile: lineage that somebody writes anew while it ends stays as it is written.
func TestStatedMeanwhile(t *testing.T) {
	h := newHouse(t, catalogtest.NewHarness)
	h.ran("SUCCESS", upstream("gone", "a"), upstream("kept", "a"))
	anew, written := upstream("gone", "b"), 0
	h.Ending.Writer = &statedAgain{h.Writer, func() {
		written++
		h.Say(anew.urn, anew.aspect, anew.value)
	}}
	for range 3 {
		h.ran("SUCCESS", upstream("kept", "a"))
	}
	if h.want(table("gone"), "b"); written != 1 {
		t.Errorf("it was to end %d times", written)
	}
}

// TestForget: without the setting, the log is not kept for the ending.
func TestForget(t *testing.T) {
	h := newHouse(t, catalogtest.NewHarness)
	for range 2 {
		if err := h.Ending.Forget(t.Context()); err != nil {
			t.Fatal(err)
		}
		if all, err := h.Delivery.Followers(t.Context()); err != nil || slices.ContainsFunc(all, func(f delivery.Follower) bool { return f.Name == ending.Follower }) {
			t.Errorf("%+v, %v", all, err)
		}
	}
}
