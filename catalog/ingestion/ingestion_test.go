package ingestion_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/secrets"
	"github.com/headwater-io/headwater/model"
)

const (
	source = "urn:li:dataHubIngestionSource:shop"
	recipe = `{"source":{"type":"postgres","config":{"password":"${SHOP_PASSWORD}"}}}`
)

// byAda does not wait for the index, which these tests do not have.
var byAda = catalogtest.ByAda.WithoutWait()

// vault has the secrets of a test.
type vault map[string]string

func (vault) RequireProgram(context.Context, string) error { return nil }

func (v vault) ForRun(_ context.Context, names []string) (found []secrets.Value, err error) {
	for _, name := range names {
		if value, ok := v[name]; ok {
			found = append(found, secrets.Value{Name: name, Value: value})
		}
	}
	return found, nil
}

// house is a catalog with a queue of runs and a clock that the test sets.
type house struct {
	*catalogtest.Harness
	clock time.Time
}

// start is a Saturday.
var start = time.Date(2026, 11, 28, 12, 0, 30, 0, time.UTC)

func newHouse(t *testing.T) *house { return houseOn(t, catalogtest.NewHarness(t)) }

func houseOn(t *testing.T, on *catalogtest.Harness) *house {
	t.Helper()
	h := &house{Harness: on, clock: start}
	h.Ingestion = h.server(0)
	return h
}

// server is another server over the same store.
func (h *house) server(jitter time.Duration) *ingestion.Service {
	return ingestion.New(ingestion.Options{
		Registry: model.Default(), Shown: h.Store, Store: h.Store, Writer: h.Writer, Records: records.New(h.Store), Jitter: jitter,
		Secrets: vault{"SHOP_PASSWORD": "hush", "OTHER": "not named"}, Now: func() time.Time { return h.clock }, Logger: slog.New(slog.DiscardHandler),
	})
}

func (h *house) forward(d time.Duration) { h.clock = h.clock.Add(d) }

// put stores the source with a schedule, "" for none.
func (h *house) put(interval, zone string, args map[string]string) {
	h.T.Helper()
	s := &ingestion.Source{Name: "Shop", Type: "postgres", Recipe: recipe, ExecutorID: "default", Version: "1.7.0", ExtraArgs: args}
	if interval != "" {
		s.Schedule = &ingestion.Schedule{Interval: interval, Zone: zone}
	}
	if err := h.Ingestion.Put(h.T.Context(), catalogtest.URN(source), s, byAda); err != nil {
		h.T.Fatal(err)
	}
}

// ask asks for a run of the source.
func (h *house) ask() string {
	h.T.Helper()
	urn, err := h.Ingestion.Request(h.T.Context(), catalogtest.URN(source), byAda)
	if err != nil {
		h.T.Fatal(err)
	}
	return urn
}

// take claims a run, nil if there is none.
func (h *house) take(executors ...string) *ingestion.Run {
	h.T.Helper()
	r, err := h.Ingestion.Take(h.T.Context(), ingestion.Claim{Worker: "w", Executors: executors})
	if err != nil {
		h.T.Fatal(err)
	}
	return r
}

func (h *house) mustTake() *ingestion.Run {
	h.T.Helper()
	r := h.take()
	if r == nil {
		h.T.Fatal("there is no run to take")
	}
	return r
}

func (h *house) end(r *ingestion.Run, o ingestion.Outcome) {
	h.T.Helper()
	o.Lease = r.Lease
	if err := h.Ingestion.End(h.T.Context(), o); err != nil {
		h.T.Fatal(err)
	}
}

// result is the result of a run.
type result struct {
	Status           string
	Report           string
	StartTimeMs      int64
	DurationMs       *int64
	StructuredReport *struct{ Type, SerializedValue, ContentType string }
}

func (h *house) aspect(urn, name string, into any) bool {
	h.T.Helper()
	stored, err := h.Store.LatestAspects(h.T.Context(), []string{urn}, []string{name})
	if err != nil {
		h.T.Fatal(err)
	}
	if len(stored[urn]) == 0 {
		return false
	}
	if err := json.Unmarshal(stored[urn][0].Value, into); err != nil {
		h.T.Fatal(err)
	}
	return true
}

func (h *house) result(urn string) (r result) {
	h.T.Helper()
	h.aspect(urn, model.AspectDataHubExecutionRequestResult, &r)
	return r
}

// hasStatus fails unless a run has a status, and a report that contains a text.
func (h *house) hasStatus(urn, status, report string) {
	h.T.Helper()
	if r := h.result(urn); r.Status != status || !strings.Contains(r.Report, report) {
		h.T.Errorf("%s has the status %q and the report %q, want %s and %q", urn, r.Status, r.Report, status, report)
	}
}

func codeIs(t *testing.T, err error, want catalog.Code, text string) {
	t.Helper()
	if catalog.CodeOf(err) != want || !strings.Contains(fmt.Sprint(err), text) {
		t.Errorf("%v (%s), want %s: %s", err, catalog.CodeOf(err), want, text)
	}
}

// TestRun: a run that somebody asks for is given to an executor with everything that it needs, its log is
// stored while it goes on, and its result when it has ended. A second request while the run waits or goes on
// returns the same run.
func TestRun(t *testing.T) {
	h, ctx := newHouse(t), t.Context()
	h.put("", "", map[string]string{"extra_pip_requirements": "[]"})
	urn := h.ask()
	if again := h.ask(); again != urn {
		t.Errorf("a second request while the first waits is %s, want %s", again, urn)
	}
	var asked struct {
		Task, ExecutorID, ActorURN string
		Args                       map[string]string
		Source                     struct{ Type, IngestionSource string }
		RequestedAt                int64
	}
	if !h.aspect(urn, model.AspectDataHubExecutionRequestInput, &asked) {
		t.Fatal("the request is not stored")
	}
	var sent map[string]any
	if err := json.Unmarshal([]byte(asked.Args["recipe"]), &sent); err != nil {
		t.Fatal(err)
	}
	if asked.Task != "RUN_INGEST" || asked.ExecutorID != "default" || asked.Source.Type != "MANUAL_INGESTION_SOURCE" || asked.Source.IngestionSource != source ||
		asked.RequestedAt != start.UnixMilli() || asked.ActorURN != catalogtest.Ada || asked.Args["version"] != "1.7.0" || asked.Args["debug_mode"] != "false" ||
		asked.Args["extra_pip_requirements"] != "[]" || sent["pipeline_name"] != source || sent["run_id"] != urn {
		t.Errorf("the request is %+v", asked)
	}

	if r := h.take("another"); r != nil {
		t.Errorf("an executor of another ID has taken the run: %+v", r)
	}
	h.forward(time.Second)
	r := h.mustTake()
	if r.URN != urn || r.Task != ingestion.TaskIngest || r.Source != source || r.Name != "Shop" || r.Type != "postgres" || r.Version != "1.7.0" || r.Attempt != 1 ||
		r.Recipe != asked.Args["recipe"] || r.ExtraArgs["extra_pip_requirements"] != "[]" || len(r.ExtraArgs) != 1 || !r.Until.Equal(h.clock.Add(ingestion.LeaseTerm)) {
		t.Errorf("the run is %+v", r)
	}
	if second := h.take(); second != nil {
		t.Errorf("the run was given twice: %+v", second)
	}
	if again := h.ask(); again != urn {
		t.Errorf("a second request while the first goes on is %s, want %s", again, urn)
	}
	h.hasStatus(urn, "RUNNING", "")
	if found, err := h.Ingestion.SecretsOf(ctx, r.Lease); err != nil || len(found.Secrets) != 1 || found.Secrets[0] != (ingestion.Secret{Name: "SHOP_PASSWORD", Value: "hush"}) {
		t.Errorf("the secrets are %+v, %v", found, err)
	}

	h.forward(15 * time.Second)
	if renewed, err := h.Ingestion.Renew(ctx, ingestion.Progress{Lease: r.Lease, Log: "reading"}); err != nil || renewed.Cancel || !renewed.Until.Equal(h.clock.Add(ingestion.LeaseTerm)) {
		t.Errorf("%+v, %v", renewed, err)
	}
	h.hasStatus(urn, "RUNNING", "reading")
	h.forward(9 * time.Second)
	if _, err := h.Ingestion.Renew(ctx, ingestion.Progress{Lease: r.Lease, Log: "too soon"}); err != nil {
		t.Error(err)
	}
	h.hasStatus(urn, "RUNNING", "reading")

	h.forward(time.Second)
	h.end(r, ingestion.Outcome{Status: "SUCCESS", Log: "done", Report: `{"events":1}`})
	ended := h.result(urn)
	if ended.Status != "SUCCESS" || ended.Report != "done" || ended.StartTimeMs != start.Add(time.Second).UnixMilli() || ended.DurationMs == nil || *ended.DurationMs != 25_000 ||
		ended.StructuredReport == nil || *ended.StructuredReport != struct{ Type, SerializedValue, ContentType string }{"RUN_INGEST", `{"events":1}`, "application/json"} {
		t.Errorf("the result is %+v", ended)
	}
	_, err := h.Ingestion.Renew(ctx, ingestion.Progress{Lease: r.Lease})
	codeIs(t, err, catalog.Gone, "the run has ended")
	codeIs(t, h.Ingestion.End(ctx, ingestion.Outcome{Lease: r.Lease, Status: "FAILURE"}), catalog.Gone, "the run has ended")
	_, err = h.Ingestion.SecretsOf(ctx, r.Lease)
	codeIs(t, err, catalog.Gone, "the run has ended")
	h.hasStatus(urn, "SUCCESS", "done")
	if next := h.ask(); next == urn {
		t.Error("the run that has ended is asked for again")
	}
}
