package ingestion_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// onStores runs a test on both stores.
func onStores(t *testing.T, test func(t *testing.T, h *house)) {
	t.Run("embedded", func(t *testing.T) { test(t, newHouse(t)) })
	t.Run("servers", func(t *testing.T) { test(t, houseOn(t, catalogtest.NewServersHarness(t).Harness)) })
}

// TestRace: of many executors of two servers that ask at once, one gets the run.
func TestRace(t *testing.T) {
	onStores(t, func(t *testing.T, h *house) {
		h.put("", "", nil)
		urn := h.ask()
		servers := []*ingestion.Service{h.Ingestion, h.server(0)}
		var got atomic.Int64
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				r, err := servers[i%2].Take(t.Context(), ingestion.Claim{Worker: fmt.Sprint("w", i)})
				if err != nil {
					t.Error(err)
				}
				if r != nil {
					got.Add(1)
				}
			})
		}
		all.Wait()
		if got.Load() != 1 {
			t.Errorf("%d executors have the run", got.Load())
		}
		h.hasStatus(urn, "RUNNING", "")
	})
}

// TestRequestsAtOnce: of many requests at once, one makes a run, and all name it.
func TestRequestsAtOnce(t *testing.T) {
	onStores(t, func(t *testing.T, h *house) {
		h.put("", "", nil)
		var mu sync.Mutex
		named := map[string]bool{}
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				urn, err := h.Ingestion.Request(t.Context(), catalogtest.URN(source), byAda)
				mu.Lock()
				defer mu.Unlock()
				if named[urn] = true; err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if len(named) != 1 {
			t.Errorf("the requests have made %v", named)
		}
	})
}

// TestLeaseEnds: a run whose executor is not heard of ends as failed, and says so. The executor, when it comes
// back, learns that it does not have the run any more. With retries, the run is given again after a pause.
func TestLeaseEnds(t *testing.T) {
	h, ctx := newHouse(t), t.Context()
	h.put("", "", nil)
	urn := h.ask()
	r := h.mustTake()
	h.forward(30 * time.Second)
	if _, err := h.Ingestion.Renew(ctx, ingestion.Progress{Lease: r.Lease, Log: "half"}); err != nil {
		t.Fatal(err)
	}
	h.forward(ingestion.LeaseTerm)
	h.take()
	h.hasStatus(urn, "RUNNING", "half")
	h.forward(time.Millisecond)
	if other := h.take(); other != nil {
		t.Errorf("a run without retries is given again: %+v", other)
	}
	h.hasStatus(urn, "FAILURE", "half\nThe executor w has not been heard of since 2026-11-28T12:01:00Z.")
	_, err := h.Ingestion.Renew(ctx, ingestion.Progress{Lease: r.Lease})
	codeIs(t, err, catalog.Gone, "stop it")
	codeIs(t, h.Ingestion.End(ctx, ingestion.Outcome{Lease: r.Lease, Status: "SUCCESS"}), catalog.Gone, "stop it")
	h.hasStatus(urn, "FAILURE", "half")

	h.put("", "", map[string]string{"retries": "2"})
	urn = h.ask()
	var last *ingestion.Run
	for attempt, pause := range []time.Duration{0, time.Minute, 2 * time.Minute} {
		if pause > 0 {
			h.hasStatus(urn, "UP_FOR_RETRY", fmt.Sprintf("Attempt %d of 3 begins after ", attempt+1))
			h.forward(pause - time.Millisecond)
			if early := h.take(); early != nil {
				t.Errorf("attempt %d begins too early", attempt+1)
			}
			h.forward(time.Millisecond)
		}
		if last = h.mustTake(); last.URN != urn || last.Attempt != attempt+1 {
			t.Errorf("%+v, want attempt %d of %s", last, attempt+1, urn)
		}
		h.hasStatus(urn, "RUNNING", "")
		if attempt == 0 {
			h.end(last, ingestion.Outcome{Status: "FAILURE", Log: "connection lost", Retry: true})
			h.hasStatus(urn, "UP_FOR_RETRY", "connection lost\nAttempt 2")
			continue
		}
		h.forward(ingestion.LeaseTerm + time.Millisecond)
		h.take()
	}
	h.hasStatus(urn, "FAILURE", "has not been heard of")

	urn = h.ask()
	h.end(h.mustTake(), ingestion.Outcome{Status: "FAILURE", Log: "a wrong password"})
	h.hasStatus(urn, "FAILURE", "a wrong password")
}

// TestCancel: a run that waits ends at once, one that goes on when its executor stops it, and if it does not,
// when its lease ends. A run that has ended cannot be cancelled.
func TestCancel(t *testing.T) {
	h, ctx := newHouse(t), t.Context()
	h.put("", "", map[string]string{"retries": "1"})
	cancel := func(urn string) error {
		return h.Ingestion.Cancel(ctx, catalogtest.URN(source), catalogtest.URN(urn), byAda)
	}
	waiting := h.ask()
	if err := cancel(waiting); err != nil {
		t.Fatal(err)
	}
	h.hasStatus(waiting, "CANCELLED", "before it began")
	var signal struct{ Signal, ExecutorID string }
	if h.aspect(waiting, model.AspectDataHubExecutionRequestSignal, &signal); signal.Signal != "KILL" || signal.ExecutorID != "default" {
		t.Errorf("the signal is %+v", signal)
	}
	codeIs(t, cancel(waiting), catalog.Conflict, "has ended: CANCELLED")

	for _, stops := range []bool{true, false} {
		urn := h.ask()
		r := h.mustTake()
		if err := cancel(urn); err != nil {
			t.Fatal(err)
		}
		if renewed, err := h.Ingestion.Renew(ctx, ingestion.Progress{Lease: r.Lease}); err != nil || !renewed.Cancel {
			t.Errorf("%+v, %v", renewed, err)
		}
		h.hasStatus(urn, "RUNNING", "")
		if stops {
			h.end(r, ingestion.Outcome{Status: "CANCELLED", Log: "stopped"})
			h.hasStatus(urn, "CANCELLED", "stopped")
			continue
		}
		h.forward(ingestion.LeaseTerm + time.Millisecond)
		h.take()
		h.hasStatus(urn, "CANCELLED", "has not been heard of")
	}

	test, err := h.Ingestion.TestConnection(ctx, recipe, "", byAda)
	if err != nil {
		t.Fatal(err)
	}
	codeIs(t, cancel(test), catalog.Invalid, `is a run of the source "", and not of`)
	if err := h.Ingestion.Cancel(ctx, model.URN{}, catalogtest.URN(test), byAda); err != nil {
		t.Error(err)
	}
	h.hasStatus(test, "CANCELLED", "")
	codeIs(t, cancel("urn:li:dataHubExecutionRequest:none"), catalog.NotFound, "there is no execution request")
	codeIs(t, cancel(source), catalog.Invalid, "is not a dataHubExecutionRequest")
	_, err = h.Ingestion.Request(ctx, catalogtest.URN("urn:li:dataHubIngestionSource:none"), byAda)
	codeIs(t, err, catalog.NotFound, "there is no ingestion source")
}

// hidden is a store of which the caller sees nothing.
type hidden struct{ ingestion.Store }

func (hidden) LatestAspects(context.Context, []string, []string) (map[string][]graphstore.Aspect, error) {
	return nil, nil
}

// allowed are the permissions of a caller who may do everything with single entities, and holds no privilege of the
// platform but the named ones.
type allowed []string

func (a allowed) Holds(_ context.Context, privileges ...string) bool {
	return slices.ContainsFunc(privileges, func(p string) bool { return slices.Contains(a, p) })
}

func (allowed) Allowed(_ context.Context, questions []permission.Question) ([]bool, error) {
	return slices.Repeat([]bool{true}, len(questions)), nil
}

func (allowed) ActsFor(string) bool      { return false }
func (allowed) Same(permission.Set) bool { return false }

// TestManagersSeeSources: who may manage all sources runs, cancels and deletes them without a privilege to see entities; who may only
// do so with single sources must see them.
func TestManagersSeeSources(t *testing.T) {
	h := newHouse(t)
	h.put("", "", nil)
	h.Ingestion.Shown = hidden{h.Store}
	u := catalogtest.URN(source)
	blind := permission.With(t.Context(), allowed{})
	_, err := h.Ingestion.Request(blind, u, byAda)
	codeIs(t, err, catalog.NotFound, "there is no ingestion source")
	codeIs(t, h.Ingestion.Delete(blind, u, byAda), catalog.NotFound, "there is no ingestion source")
	manager := permission.With(t.Context(), allowed{ingestion.Manage})
	run, err := h.Ingestion.Request(manager, u, byAda)
	if err != nil {
		t.Fatal(err)
	}
	codeIs(t, h.Ingestion.Cancel(blind, u, catalogtest.URN(run), byAda), catalog.NotFound, "there is no execution request")
	if err := h.Ingestion.Cancel(manager, u, catalogtest.URN(run), byAda); err != nil {
		t.Error(err)
	}
	h.hasStatus(run, "CANCELLED", "")
	if err := h.Ingestion.Delete(manager, u, byAda); err != nil {
		t.Error(err)
	}
}

// TestTestConnection: a test of a connection is a run without a source.
func TestTestConnection(t *testing.T) {
	h, ctx := newHouse(t), t.Context()
	urn, err := h.Ingestion.TestConnection(ctx, recipe, "1.6.0", byAda)
	if err != nil {
		t.Fatal(err)
	}
	r := h.mustTake()
	var sent map[string]any
	if err := json.Unmarshal([]byte(r.Recipe), &sent); err != nil || sent["pipeline_name"] != urn {
		t.Errorf("the recipe is %s, %v", r.Recipe, err)
	}
	if r.URN != urn || r.Task != ingestion.TaskTestConnection || r.Source != "" || r.Version != "1.6.0" {
		t.Errorf("%+v", r)
	}
	h.end(r, ingestion.Outcome{Status: "SUCCESS", Report: `{"basic_connectivity":{"capable":true}}`})
	if ended := h.result(urn); ended.Status != "SUCCESS" || ended.StructuredReport == nil || ended.StructuredReport.Type != "TEST_CONNECTION" {
		t.Errorf("%+v", ended)
	}
	_, err = h.Ingestion.TestConnection(ctx, `{}`, "", byAda)
	codeIs(t, err, catalog.Invalid, "the recipe must name the type")
}

// TestDelete: a deleted source does not run again. Its running run is cancelled, and its waiting run ends.
func TestDelete(t *testing.T) {
	h, ctx := newHouse(t), t.Context()
	remove := func() error { return h.Ingestion.Delete(ctx, catalogtest.URN(source), byAda) }
	h.put("* * * * *", "UTC", nil)
	waiting := h.ask()
	if err := remove(); err != nil {
		t.Fatal(err)
	}
	h.hasStatus(waiting, "CANCELLED", "")
	codeIs(t, remove(), catalog.NotFound, "there is no ingestion source")
	h.forward(time.Hour)
	if r := h.take(); r != nil {
		t.Errorf("a deleted source runs: %+v", r)
	}

	h.put("", "", nil)
	urn := h.ask()
	r := h.mustTake()
	if err := remove(); err != nil {
		t.Fatal(err)
	}
	if renewed, err := h.Ingestion.Renew(ctx, ingestion.Progress{Lease: r.Lease}); err != nil || !renewed.Cancel {
		t.Errorf("%+v, %v", renewed, err)
	}
	h.end(r, ingestion.Outcome{Status: "CANCELLED"})
	h.hasStatus(urn, "CANCELLED", "")
	if runs, plans, due := h.Ingestion.Counts(ctx); runs+plans+due != 0 {
		t.Errorf("%d runs, %d plans and %d due sources are left", runs, plans, due)
	}

	// Somebody else deletes the source, and a run that waits.
	h.put("", "", nil)
	urn = h.ask()
	if _, err := h.DeleteEntities(ctx, []model.URN{catalogtest.URN(source)}, false, byAda); err != nil {
		t.Fatal(err)
	}
	if r := h.take(); r != nil {
		t.Errorf("%+v", r)
	}
	h.hasStatus(urn, "CANCELLED", "its source was deleted")
}

// TestDue: a source runs when its schedule says so, once for moments that were missed together, and not while
// a run of it waits or goes on.
func TestDue(t *testing.T) {
	onStores(t, func(t *testing.T, h *house) {
		h.put("0 * * * *", "UTC", nil)
		h.forward(59 * time.Minute)
		if r := h.take(); r != nil {
			t.Fatalf("the source runs too early: %+v", r)
		}
		h.forward(30 * time.Second)
		first := h.mustTake()
		var asked struct {
			ActorURN string
			Source   struct{ Type string }
		}
		h.aspect(first.URN, model.AspectDataHubExecutionRequestInput, &asked)
		if asked.Source.Type != "SCHEDULED_INGESTION_SOURCE" || asked.ActorURN != "urn:li:corpuser:__datahub_system" {
			t.Errorf("the request is %+v", asked)
		}
		for range 4 { // the run goes on for longer than an hour, and no other run begins meanwhile
			h.forward(20 * time.Minute)
			if _, err := h.Ingestion.Renew(t.Context(), ingestion.Progress{Lease: first.Lease}); err != nil {
				t.Fatal(err)
			}
			if r := h.take(); r != nil {
				t.Fatalf("a source has two runs: %+v", r)
			}
		}
		h.end(first, ingestion.Outcome{Status: "SUCCESS"})
		if r := h.take(); r != nil {
			t.Errorf("a moment that was passed over is made up for: %+v", r)
		}
		h.forward(49 * time.Hour) // no server runs meanwhile
		second := h.mustTake()
		h.end(second, ingestion.Outcome{Status: "SUCCESS"})
		if r := h.take(); r != nil || second.URN == first.URN {
			t.Errorf("missed moments are made up for more than once: %+v", r)
		}
		if next, err := h.Ingestion.NextRuns(t.Context(), []string{source}); err != nil || next[source] != h.clock.Truncate(time.Hour).Add(time.Hour).UnixMilli() {
			t.Errorf("next at %v, %v", next, err)
		}
		h.put("30 * * * *", "UTC", nil)
		h.put("", "", nil)
		h.forward(24 * time.Hour)
		if r := h.take(); r != nil {
			t.Errorf("a source without a schedule runs: %+v", r)
		}
		if runs, plans, due := h.Ingestion.Counts(t.Context()); runs+plans+due != 0 {
			t.Errorf("%d runs, %d plans and %d due sources are left", runs, plans, due)
		}
	})
}

// TestJitter: sources of one moment run one after the other, each always with the same delay.
func TestJitter(t *testing.T) {
	h := newHouse(t)
	h.Ingestion = h.server(10 * time.Minute)
	h.put("0 * * * *", "UTC", nil)
	other := "urn:li:dataHubIngestionSource:other"
	if err := h.Ingestion.Put(t.Context(), catalogtest.URN(other), &ingestion.Source{Name: "o", Type: "x", Recipe: recipe, Schedule: &ingestion.Schedule{Interval: "0 * * * *"}}, byAda); err != nil {
		t.Fatal(err)
	}
	next, err := h.Ingestion.NextRuns(t.Context(), []string{source, other})
	if err != nil {
		t.Fatal(err)
	}
	moment := h.clock.Truncate(time.Hour).Add(time.Hour)
	for urn, at := range next {
		if late := time.UnixMilli(at).Sub(moment); late < 0 || late >= 10*time.Minute {
			t.Errorf("%s is %s late", urn, late)
		}
	}
	if next[source] == next[other] {
		t.Error("both sources have the same delay")
	}
	h.clock = time.UnixMilli(next[source]).UTC()
	for range 2 {
		r := h.mustTake()
		for r.Source != source {
			r = h.mustTake()
		}
		h.end(r, ingestion.Outcome{Status: "SUCCESS"})
		h.forward(time.Hour)
	}
}

// TestSourcesOfOthers: a source with a schedule that is written as an aspect runs, too, and stops when its
// schedule goes. A schedule that cannot be read is ignored.
func TestSourcesOfOthers(t *testing.T) {
	h := newHouse(t)
	say := func(schedule string) {
		h.Say(source, model.AspectDataHubIngestionSourceInfo, `{"name":"s","type":"t","config":{"recipe":"{\"source\":{\"type\":\"t\"}}"}`+schedule+`}`)
	}
	say(`,"schedule":{"interval":"nonsense","timezone":"UTC"}`)
	h.take()
	say(`,"schedule":{"interval":"*/5 * * * *","timezone":"UTC"}`)
	h.forward(10 * time.Second)
	h.take()
	h.forward(5 * time.Minute)
	h.end(h.mustTake(), ingestion.Outcome{Status: "SUCCESS"})
	say("")
	h.forward(10 * time.Minute)
	if r := h.take(); r != nil {
		t.Errorf("a source whose schedule is gone runs: %+v", r)
	}
}

// TestRunsOfOthers: a run that another executor has begun is not given to an executor of this server, and its
// source may run again when that run has ended.
func TestRunsOfOthers(t *testing.T) {
	h := newHouse(t)
	h.put("", "", nil)
	urn := h.ask()
	h.Say(urn, model.AspectDataHubExecutionRequestResult, `{"status":"RUNNING","startTimeMs":1}`)
	if r := h.take(); r != nil {
		t.Errorf("%+v", r)
	}
	if second := h.ask(); second != urn {
		t.Errorf("%s runs while another executor runs %s", second, urn)
	}
	h.Say(urn, model.AspectDataHubExecutionRequestResult, `{"status":"SUCCESS","startTimeMs":1}`)
	if second := h.ask(); second == urn {
		t.Error("the run that has ended is asked for again")
	}
}

// TestNothingForEver: a run whose result says that it goes on, but which has no record, is ended. A run
// that no executor takes is ended too.
func TestNothingForEver(t *testing.T) {
	h, ctx := newHouse(t), t.Context()
	h.clock = time.Now() // versions have the time of the store
	h.put("", "", nil)
	urn := h.ask()
	h.mustTake()
	if err := h.Ingestion.Forget(ctx, source); err != nil {
		t.Fatal(err)
	}
	h.forward(time.Minute)
	h.take()
	h.hasStatus(urn, "RUNNING", "")
	h.forward(3 * time.Minute)
	h.take()
	h.hasStatus(urn, "FAILURE", "the server has no record of it")

	urn = h.ask()
	for range 8 {
		h.forward(23 * time.Hour)
		h.take("another")
	}
	h.hasStatus(urn, "ABORTED", "No executor default has taken the run for a week.")
}

// TestAwait: a claim that waits gets a run as soon as somebody asks for the run.
func TestAwait(t *testing.T) {
	h, ctx := newHouse(t), t.Context()
	h.put("", "", nil)
	taken := make(chan *ingestion.Run)
	go func() {
		r, err := h.Ingestion.Await(ctx, ingestion.Claim{Worker: "w"}, 30*time.Second)
		if err != nil {
			t.Error(err)
		}
		taken <- r
	}()
	began := time.Now()
	urn := h.ask()
	if r := <-taken; r == nil || r.URN != urn || time.Since(began) > 20*time.Second {
		t.Errorf("%+v after %s", r, time.Since(began))
	}
	if r, err := h.Ingestion.Await(ctx, ingestion.Claim{Worker: "w"}, 10*time.Millisecond); r != nil || err != nil {
		t.Errorf("%+v, %v", r, err)
	}
	gone, leave := context.WithCancel(ctx)
	leave()
	h.end(&ingestion.Run{Lease: h.Ingestion.LeaseOf(ctx, source)}, ingestion.Outcome{Status: "SUCCESS"})
	urn = h.ask()
	if r, err := h.Ingestion.Await(gone, ingestion.Claim{Worker: "w"}, time.Second); r != nil || err == nil {
		t.Errorf("a caller who has left gets %+v, %v", r, err)
	}
	if r := h.mustTake(); r.URN != urn {
		t.Errorf("%+v", r)
	}
}

// dying is a server that is killed after some writes.
type dying struct {
	graphstore.Records
	*write.Writer
	left int
}

var errKilled = graphstore.ErrUnavailable

func (d *dying) dies() bool { d.left--; return d.left < 0 }

func (d *dying) PutRecord(ctx context.Context, name string, value json.RawMessage, revision string) (string, error) {
	if d.dies() {
		return "", errKilled
	}
	return d.Records.PutRecord(ctx, name, value, revision)
}

func (d *dying) CreateRecord(ctx context.Context, prefix, name string, value json.RawMessage, most int) (string, error) {
	if d.dies() {
		return "", errKilled
	}
	return d.Records.CreateRecord(ctx, prefix, name, value, most)
}

func (d *dying) DeleteRecord(ctx context.Context, name, revision string) error {
	if d.dies() {
		return errKilled
	}
	return d.Records.DeleteRecord(ctx, name, revision)
}

func (d *dying) Create(ctx context.Context, urn model.URN, aspects map[string]catalog.Tree, o catalog.WriteOptions) error {
	if d.dies() {
		return errKilled
	}
	return d.Writer.Create(ctx, urn, aspects, o)
}

func (d *dying) EditWith(ctx context.Context, edits []write.Edit, properties map[string]string, o catalog.WriteOptions) error {
	if d.dies() {
		return errKilled
	}
	return d.Writer.EditWith(ctx, edits, properties, o)
}

// TestKills: a server is killed after each of its writes while a source becomes due, its run is taken, goes on
// and ends, and while the next one is asked for. Another server goes on: no executor gets a run twice, every
// run ends, and the source is due again.
func TestKills(t *testing.T) {
	for kill := range 40 {
		h := newHouse(t)
		h.put("0 * * * *", "UTC", nil)
		h.forward(time.Hour)
		d := &dying{Records: h.Store, Writer: h.Writer, left: kill}
		first := ingestion.New(ingestion.Options{
			Registry: model.Default(), Shown: h.Store, Store: h.Store, Writer: d, Records: records.New(d), Secrets: vault{},
			Now: func() time.Time { return h.clock }, Logger: slog.New(slog.DiscardHandler),
		})
		given := map[string]int{}
		work := func(s *ingestion.Service) bool {
			r, err := s.Take(t.Context(), ingestion.Claim{Worker: "w"})
			if err != nil || r == nil {
				return false
			}
			given[r.URN]++
			h.forward(15 * time.Second)
			if _, err := s.Renew(t.Context(), ingestion.Progress{Lease: r.Lease, Log: "half"}); err != nil {
				return false
			}
			return s.End(t.Context(), ingestion.Outcome{Lease: r.Lease, Status: "SUCCESS", Log: "whole"}) == nil
		}
		done := work(first)
		asked, _ := first.Request(t.Context(), catalogtest.URN(source), byAda)
		lived := done && asked != "" && work(first) && d.left >= 0

		for range 4 { // the other server
			h.forward(ingestion.LeaseTerm + time.Second)
			work(h.Ingestion)
		}
		urns, _, err := h.Store.ListEntities(t.Context(), model.EntityDataHubExecutionRequest, graphstore.Page{Count: 10})
		if err != nil || len(urns) == 0 {
			t.Fatalf("killed after %d writes: %v, %v", kill, urns, err)
		}
		for _, urn := range urns {
			if status := h.result(urn).Status; status != "SUCCESS" && status != "FAILURE" || given[urn] > 1 {
				t.Errorf("killed after %d writes: %s is %q and was given %d times", kill, urn, status, given[urn])
			}
		}
		h.forward(time.Hour)
		h.end(h.mustTake(), ingestion.Outcome{Status: "SUCCESS"})
		if runs, plans, due := h.Ingestion.Counts(t.Context()); runs != 0 || plans != 1 || due != 1 {
			t.Errorf("killed after %d writes: %d runs, %d plans and %d due sources are left", kill, runs, plans, due)
		}
		if lived {
			if kill < 10 {
				t.Errorf("the server lives after %d writes", kill)
			}
			return
		}
	}
	t.Error("40 writes are not enough for two runs")
}

// TestAskAfterEnd: whoever sees that a run has ended gets another one, even if the server has not come to
// forget the run.
func TestAskAfterEnd(t *testing.T) {
	h := newHouse(t)
	h.put("", "", nil)
	before := h.ask()
	r := h.mustTake()
	d := &dying{Records: h.Store, Writer: h.Writer, left: 2} // the two writes record that the run ends, and store its result
	first := ingestion.New(ingestion.Options{
		Registry: model.Default(), Shown: h.Store, Store: h.Store, Writer: d, Records: records.New(d), Secrets: vault{},
		Now: func() time.Time { return h.clock }, Logger: slog.New(slog.DiscardHandler),
	})
	if err := first.End(t.Context(), ingestion.Outcome{Lease: r.Lease, Status: "SUCCESS", Log: "whole"}); err == nil {
		t.Fatal("the server was not killed")
	}
	h.hasStatus(before, "SUCCESS", "whole")
	if after := h.ask(); after == before {
		t.Errorf("%s has ended and is answered again", after)
	}
	if next := h.mustTake(); next.URN == before {
		t.Errorf("%s is given again", next.URN)
	}
}

// overtaken is a store in which another server always deletes a record a moment earlier.
type overtaken struct{ graphstore.Records }

func (o overtaken) DeleteRecord(ctx context.Context, name, revision string) error {
	if err := o.Records.DeleteRecord(ctx, name, revision); err != nil {
		return err
	}
	return o.Records.DeleteRecord(ctx, name, revision)
}

// TestAskWhileAnotherEnds: a run has ended although the server that ends it deletes its record in the moment in which
// another server asks.
func TestAskWhileAnotherEnds(t *testing.T) {
	h := newHouse(t)
	h.put("", "", nil)
	before := h.ask()
	r := h.mustTake()
	options := ingestion.Options{
		Registry: model.Default(), Shown: h.Store, Store: h.Store, Secrets: vault{},
		Now: func() time.Time { return h.clock }, Logger: slog.New(slog.DiscardHandler),
	}
	d := &dying{Records: h.Store, Writer: h.Writer, left: 2}
	options.Writer, options.Records = d, records.New(d)
	if err := ingestion.New(options).End(t.Context(), ingestion.Outcome{Lease: r.Lease, Status: "SUCCESS"}); err == nil {
		t.Fatal("the server was not killed")
	}
	options.Writer, options.Records = h.Writer, records.New(overtaken{h.Store})
	after, err := ingestion.New(options).Request(t.Context(), catalogtest.URN(source), byAda)
	if err != nil || after == before {
		t.Errorf("%s is answered after %s has ended, %v", after, before, err)
	}
}

// TestSecretsWithDefaults: a secret reaches its run also where the recipe has a default for it, however the default is
// written.
func TestSecretsWithDefaults(t *testing.T) {
	for _, place := range []string{"${SHOP_PASSWORD}", "${SHOP_PASSWORD:-none}", "${SHOP_PASSWORD-none}", "${SHOP_PASSWORD:=none}"} {
		h := newHouse(t)
		if _, err := h.Ingestion.TestConnection(t.Context(), `{"source":{"type":"postgres","config":{"password":"`+place+`"}}}`, "", byAda); err != nil {
			t.Fatal(err)
		}
		found, err := h.Ingestion.SecretsOf(t.Context(), h.mustTake().Lease)
		if err != nil || len(found.Secrets) != 1 || found.Secrets[0].Value != "hush" {
			t.Errorf("%s: %+v, %v", place, found, err)
		}
	}
}

// TestOddSources: a source whose recipe cannot run, as another writer may have stored it, does not keep the
// others from their runs. One without a time zone runs by UTC.
func TestOddSources(t *testing.T) {
	h := newHouse(t)
	h.Say("urn:li:dataHubIngestionSource:a", model.AspectDataHubIngestionSourceInfo, `{"name":"a","type":"t","config":{"recipe":"{}"},"schedule":{"interval":"0 * * * *","timezone":"UTC"}}`)
	h.take()
	h.put(" 0 * * * * ", "", nil)
	h.forward(time.Hour)
	if r := h.mustTake(); r.Source != source {
		t.Errorf("%+v", r)
	}
	next, err := h.Ingestion.NextRuns(t.Context(), []string{source, "urn:li:dataHubIngestionSource:a"})
	if err != nil || len(next) != 2 || next[source] != next["urn:li:dataHubIngestionSource:a"] || next[source] <= h.clock.UnixMilli() {
		t.Errorf("%v, %v", next, err)
	}
}
