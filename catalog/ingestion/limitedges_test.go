package ingestion_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// TestSourceLimits: a source may have exactly as much as a limit says, and one more is refused.
func TestSourceLimits(t *testing.T) {
	h := newHouse(t)
	padded := func(n int) string {
		frame := `{"source":{"type":"t"},"x":""}`
		return strings.Replace(frame, `""`, `"`+strings.Repeat("x", n-len(frame))+`"`, 1)
	}
	args := func(n int) map[string]string {
		many := map[string]string{}
		for i := range n {
			many[fmt.Sprint(i)] = "x"
		}
		return many
	}
	for name, c := range map[string]struct {
		most int
		set  func(s *ingestion.Source, n int)
	}{
		"recipe":      {limits.IngestionRecipe, func(s *ingestion.Source, n int) { s.Recipe = padded(n) }},
		"name":        {limits.IngestionText, func(s *ingestion.Source, n int) { s.Name = strings.Repeat("n", n) }},
		"executor ID": {limits.IngestionText, func(s *ingestion.Source, n int) { s.ExecutorID = strings.Repeat("n", n) }},
		"expression": {limits.IngestionText, func(s *ingestion.Source, n int) {
			s.Schedule = &ingestion.Schedule{Interval: "0 0 * * " + strings.Repeat("1,", (n-9)/2) + strings.Repeat("0", 1+(n-9)%2)}
		}},
		"arguments": {limits.IngestionExtraArgs, func(s *ingestion.Source, n int) { s.ExtraArgs = args(n) }},
		"argument":  {limits.IngestionExtraArg, func(s *ingestion.Source, n int) { s.ExtraArgs = map[string]string{"a": strings.Repeat("x", n-1)} }},
		"retries":   {limits.IngestionRetries, func(s *ingestion.Source, n int) { s.ExtraArgs = map[string]string{"retries": fmt.Sprint(n)} }},
	} {
		put := func(n int) error {
			s := &ingestion.Source{Name: "Shop", Type: "postgres", Recipe: recipe}
			c.set(s, n)
			return h.Ingestion.Put(t.Context(), catalogtest.URN(source), s, byAda)
		}
		if err := put(c.most); err != nil {
			t.Errorf("%s: %d are refused: %v", name, c.most, err)
		}
		if err := put(c.most + 1); catalog.CodeOf(err) != catalog.Invalid {
			t.Errorf("%s: %d are not refused: %v", name, c.most+1, err)
		}
	}
}

// TestClaimLimits: a claim may name as many executor IDs and wait for as long as the limits say. As many
// executors may wait at once as the limit says.
func TestClaimLimits(t *testing.T) {
	h, ctx := newHouse(t), t.Context()
	take := func(n int) error {
		_, err := h.Ingestion.Take(ctx, ingestion.Claim{Worker: "w", Executors: make([]string, n)})
		return err
	}
	if err := take(limits.IngestionExecutors); err != nil {
		t.Error(err)
	}
	codeIs(t, take(limits.IngestionExecutors+1), catalog.Invalid, "executor IDs")

	waiting, leave := context.WithCancel(ctx)
	var all sync.WaitGroup
	for range limits.IngestionWaiters {
		all.Go(func() {
			if _, err := h.Ingestion.Await(waiting, ingestion.Claim{Worker: "w"}, limits.IngestionWait); err == nil || waiting.Err() == nil {
				t.Errorf("a claim that waits is answered before its caller leaves: %v", err)
			}
		})
	}
	_, err := h.Ingestion.Await(ctx, ingestion.Claim{Worker: "w"}, limits.IngestionWait+time.Second)
	codeIs(t, err, catalog.Invalid, "wait must be 0 to 30 seconds")
	testclock.Await(t, "the executors wait", func() bool { return h.Ingestion.Waiters() == limits.IngestionWaiters })
	_, err = h.Ingestion.Await(ctx, ingestion.Claim{Worker: "w"}, time.Second)
	codeIs(t, err, catalog.Busy, "100 executors wait")
	if _, err := h.Ingestion.Await(ctx, ingestion.Claim{Worker: "w"}, 0); err != nil {
		t.Errorf("a claim without a wait: %v", err)
	}
	leave()
	all.Wait()
}

// TestRunLimit: as many runs may wait or go on as the limit says. A scheduled run waits for room.
func TestRunLimit(t *testing.T) {
	h, ctx := newHouse(t), t.Context()
	for i := range limits.IngestionRuns {
		if _, err := h.Ingestion.Record(ctx, catalogtest.URN(fmt.Sprintf("urn:li:dataHubIngestionSource:s%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	h.put("* * * * *", "UTC", nil)
	_, err := h.Ingestion.Request(ctx, catalogtest.URN(source), byAda)
	codeIs(t, err, catalog.Busy, "1000 runs wait or go on")
	_, err = h.Ingestion.TestConnection(ctx, recipe, "", byAda)
	codeIs(t, err, catalog.Busy, "1000 runs wait or go on")
	h.forward(time.Minute)
	if r := h.take("another"); r != nil {
		t.Errorf("%+v", r)
	}
	if err := h.Ingestion.Forget(ctx, "urn:li:dataHubIngestionSource:s0"); err != nil {
		t.Fatal(err)
	}
	h.take("another")
	if next, err := h.Ingestion.NextRuns(ctx, []string{source}); err != nil || next[source] <= h.clock.UnixMilli() {
		t.Errorf("the source is still due when there is room: %v, %v", next, err)
	}
	_, err = h.Ingestion.Request(ctx, catalogtest.URN("urn:li:dataHubIngestionSource:none"), byAda)
	codeIs(t, err, catalog.NotFound, "")
}

// TestLogLimits: of a log that is too long, the end is kept while the run goes on, and the beginning and the end
// when the run has ended. A report that is too long, or is not JSON, is left out, and the log says so.
func TestLogLimits(t *testing.T) {
	h, ctx := newHouse(t), t.Context()
	h.put("", "", nil)
	ended := func(o ingestion.Outcome) result {
		t.Helper()
		urn := h.ask()
		o.Status = "SUCCESS"
		h.end(h.mustTake(), o)
		return h.result(urn)
	}
	urn := h.ask()
	r := h.mustTake()
	for _, n := range []int{limits.IngestionProgress, limits.IngestionProgress + 1} {
		h.forward(15 * time.Second)
		log := "a" + strings.Repeat("b", n-2) + "z"
		if _, err := h.Ingestion.Renew(ctx, ingestion.Progress{Lease: r.Lease, Log: log}); err != nil {
			t.Fatal(err)
		}
		if got := h.result(urn).Report; got != log[max(0, len(log)-limits.IngestionProgress):] {
			t.Errorf("of %d bytes, %d are kept, from %.1s", n, len(got), got)
		}
	}
	h.end(r, ingestion.Outcome{Status: "SUCCESS"})

	whole := "a" + strings.Repeat("b", limits.IngestionLog-2) + "z"
	if got := ended(ingestion.Outcome{Log: whole}).Report; got != whole {
		t.Errorf("a log of the longest length is cut to %d bytes", len(got))
	}
	// The character é has two bytes, so that cuts may be within one.
	long := "a" + strings.Repeat("é", limits.IngestionLog/2) + "z"
	got := ended(ingestion.Outcome{Log: long}).Report
	if len(got) > limits.IngestionLog || len(got) < limits.IngestionLog-500 || got[0] != 'a' || got[len(got)-1] != 'z' || !strings.Contains(got, " bytes are left out here]") || strings.ContainsRune(got, '\uFFFD') {
		t.Errorf("a long log is %d bytes, %.20q to %.20q", len(got), got, got[len(got)-20:])
	}

	report := `"` + strings.Repeat("x", limits.IngestionReport-2) + `"`
	if got := ended(ingestion.Outcome{Report: report}); got.StructuredReport == nil || got.StructuredReport.SerializedValue != report || got.Report != "" {
		t.Errorf("the longest report is left out: %s", got.Report)
	}
	if got := ended(ingestion.Outcome{Log: "l", Report: report + " "}); got.StructuredReport != nil || !strings.Contains(got.Report, "The structured report is left out: it has 1048577 bytes") {
		t.Errorf("a report that is too long: %s", got.Report)
	}
	if got := ended(ingestion.Outcome{Report: "{"}); got.StructuredReport != nil || got.Report != "The structured report is left out: it is not JSON." {
		t.Errorf("a report that is not JSON: %s", got.Report)
	}
}

// TestManySources: with thousands of scheduled sources, a claim reads as little as with one.
func TestManySources(t *testing.T) {
	h, ctx := newHouse(t), t.Context()
	const many = 2_000
	for i := range many {
		at := &ingestion.Schedule{Interval: fmt.Sprintf("%d 3 * * *", i%60), Zone: "UTC"}
		if err := h.Ingestion.Plan(ctx, fmt.Sprintf("urn:li:dataHubIngestionSource:s%d", i), at); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	const claims = 20
	for range claims {
		if r := h.take(); r != nil {
			t.Fatal(r)
		}
	}
	if each := time.Since(began) / claims; each > 50*time.Millisecond {
		t.Errorf("a claim without a run takes %s", each)
	} else {
		t.Logf("a claim without a run takes %s", each)
	}
}
