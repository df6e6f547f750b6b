package ingestion_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/internal/limits"
)

// history returns the stored history of the source's runs.
func (h *house) history() ingestion.History {
	h.T.Helper()
	found, err := h.Ingestion.Histories(h.T.Context(), []string{source})
	if err != nil {
		h.T.Fatal(err)
	}
	return found[source]
}

// ran runs the source once, for a minute.
func (h *house) ran(status string) ingestion.Ended {
	h.T.Helper()
	h.forward(time.Hour)
	h.ask()
	r := h.mustTake()
	e := ingestion.Ended{Run: r.URN, Status: status, Started: h.clock.UnixMilli()}
	h.forward(30 * time.Second)
	e.At = h.clock.UnixMilli()
	h.end(r, ingestion.Outcome{Status: status, Log: "ended"})
	return e
}

// TestFailingSince: a source fails since the first failed run after its last good one, until a run is good again.
func TestFailingSince(t *testing.T) {
	onStores(t, func(t *testing.T, h *house) {
		h.put("", "", nil)
		first := h.ran("FAILURE")
		second := h.ran("TIMEOUT")
		if diff := cmp.Diff(ingestion.History{Failing: &ingestion.Failing{First: first, Last: second, Runs: 2}}, h.history()); diff != "" {
			t.Error("before a good run: ", diff)
		}
		good := h.ran("SUCCESS")
		if diff := cmp.Diff(ingestion.History{Good: []ingestion.Ended{good}}, h.history()); diff != "" {
			t.Error("after a good run: ", diff)
		}
		first = h.ran("FAILURE")
		h.ran("FAILURE")
		third := h.ran("CANCELLED")
		want := ingestion.History{Good: []ingestion.Ended{good}, Failing: &ingestion.Failing{First: first, Last: third, Runs: 3}}
		if diff := cmp.Diff(want, h.history()); diff != "" {
			t.Error("after three failed runs: ", diff)
		}
		if err := h.Ingestion.RolledBack(t.Context(), good.Run); err != nil {
			t.Fatal(err)
		}
		if want.Good = nil; len(h.history().Good) != 0 {
			t.Errorf("a run that was rolled back is a good one: %+v", h.history())
		}
		if err := h.Ingestion.Delete(t.Context(), catalogtest.URN(source), byAda); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(ingestion.History{}, h.history()); diff != "" {
			t.Error("of a deleted source: ", diff)
		}
	})
}

// TestLostRunIsKept: a run whose executor is not heard of any more has failed, and is counted once.
func TestLostRunIsKept(t *testing.T) {
	h := newHouse(t)
	h.put("", "", nil)
	urn := h.ask()
	h.mustTake()
	h.forward(2 * ingestion.LeaseTerm)
	for range 2 {
		if h.take() != nil {
			t.Error("the lost run is given again")
		}
	}
	if f := h.history().Failing; f == nil || f.Runs != 1 || f.First.Run != urn || f.First.Status != "FAILURE" {
		t.Errorf("the lost run is kept as %+v", f)
	}
}

// TestRunEndedByAnother: a run is kept, with the times of its result, if an executor that does not ask this
// server ends it.
func TestRunEndedByAnother(t *testing.T) {
	h := newHouse(t)
	h.put("", "", nil)
	urn := h.ask()
	h.forward(5 * time.Minute)
	h.Say(urn, "dataHubExecutionRequestResult", `{"status":"SUCCESS","startTimeMs":1000,"durationMs":500}`)
	h.ask()
	if diff := cmp.Diff([]ingestion.Ended{{Run: urn, Status: "SUCCESS", Started: 1000, At: 1500}}, h.history().Good); diff != "" {
		t.Error(diff)
	}
}

// TestLimitOfHistory: as many of the newest good runs as the limit are kept, and no older run.
func TestLimitOfHistory(t *testing.T) {
	h := newHouse(t)
	h.put("", "", nil)
	var runs []string
	for range limits.IngestionHistory + 1 {
		runs = append(runs, h.ran("SUCCESS").Run)
	}
	good := h.history().Good
	if len(good) != limits.IngestionHistory || good[0].Run != runs[len(runs)-1] || good[len(good)-1].Run != runs[1] {
		t.Errorf("%d runs are kept of %d", len(good), len(runs))
	}
}

// TestProblems: a source that cannot run says why.
func TestProblems(t *testing.T) {
	for want, c := range map[string]struct {
		recipe   string
		schedule *ingestion.Schedule
	}{
		"": {recipe, &ingestion.Schedule{Interval: "@daily"}},
		`The recipe must be a JSON object, such as {"source": {"type": "postgres", "config": {}}}.`:                  {"source: {}", nil},
		`The recipe must name the type of its source, such as {"source": {"type": "postgres", "config": {}}}.`:       {"{}", nil},
		`The cron expression "never" must have five fields: minute, hour, day of the month, month, day of the week.`: {recipe, &ingestion.Schedule{Interval: "never"}},
		"The time zone Nowhere/Land is unknown; the names are such as UTC or Europe/Berlin.":                         {recipe, &ingestion.Schedule{Interval: "@daily", Zone: "Nowhere/Land"}},
	} {
		if got := ingestion.ProblemOf(c.recipe, c.schedule); got != want {
			t.Errorf("%s is %q, want %q", c.recipe, got, want)
		}
	}
}
