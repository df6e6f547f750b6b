package connectors

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// stored has the last checkpoint.
type stored struct {
	value json.RawMessage
	err   error
}

func (s *stored) Last(context.Context, string, string) (json.RawMessage, error) {
	return s.value, s.err
}

// memoryAt is the memory of a run at a time, which has read the last state.
func memoryAt(t *testing.T, s *stored, at string) *Memory {
	t.Helper()
	moment, err := time.Parse(time.DateTime, at)
	if err != nil {
		t.Fatal(err)
	}
	m := &Memory{Platform: "postgres", Pipeline: "nightly", Checkpoints: s, Now: Counters{At: moment.UnixMilli()}}
	if _, err := m.Last(t.Context()); err != nil {
		t.Fatal(err)
	}
	return m
}

// save writes the state of a run.
func (s *stored) save(t *testing.T, m *Memory) {
	t.Helper()
	proposals := m.State("run", time.UnixMilli(m.Now.At), &Report{})
	if len(proposals) != 2 || proposals[1].AspectName != model.AspectDatahubIngestionCheckpoint || proposals[1].EntityURN != "urn:li:dataJob:(urn:li:dataFlow:(datahub,nightly,prod),postgres_counters)" {
		t.Fatalf("the state is %+v", proposals)
	}
	s.value = json.RawMessage(proposals[1].Aspect.Value)
}

// TestRunsOfADay: the runs since the last reading count for the day of this reading, also if the source counts anew.
func TestRunsOfADay(t *testing.T) {
	s := &stored{}
	for _, step := range []struct {
		at   string
		all  int64
		want int64
	}{
		{"2026-11-28 10:00:00", 100, 0}, // since when it counts is not known
		{"2026-11-28 11:00:00", 103, 3},
		{"2026-11-28 12:00:00", 105, 5},
		{"2026-11-28 13:00:00", 105, 5},
		{"2026-11-28 14:00:00", 2, 7}, // counted anew
		{"2026-11-29 01:00:00", 6, 4},
		{"2026-12-02 01:00:00", 6, 0},
	} {
		m := memoryAt(t, s, step.at)
		if got := m.Ran("a", step.all, time.Time{}); got != step.want {
			t.Errorf("%s: %d runs of the day, want %d", step.at, got, step.want)
		}
		s.save(t, m)
	}
	m := memoryAt(t, s, "2026-12-02 02:00:00")
	if got := m.Ran("new", 9, time.Time{}); got != 9 {
		t.Errorf("a statement that is new ran %d times", got)
	}
	first := memoryAt(t, &stored{}, "2026-11-28 10:00:00")
	day := time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)
	if today, before := first.Ran("a", 5, day), first.Ran("b", 5, day.Add(-time.Second)); today != 5 || before != 0 {
		t.Errorf("of the first run, %d and %d count", today, before)
	}
}

// TestChangedTables: a table was changed if its counter differs from the one of the last run.
func TestChangedTables(t *testing.T) {
	s := &stored{}
	m := memoryAt(t, s, "2026-11-28 10:00:00")
	if changed, after := m.Changed("a", 5); changed || !after.IsZero() {
		t.Error("the first run knows that a table was changed")
	}
	m.Changed("b", 5)
	s.save(t, m)
	m = memoryAt(t, s, "2026-11-28 11:00:00")
	for _, c := range []struct {
		table   string
		counter int64
		changed bool
		known   bool
	}{{"a", 5, false, true}, {"a", 6, true, true}, {"b", 2, true, true}, {"b", 0, false, true}, {"c", 7, false, false}} {
		changed, after := m.Changed(c.table, c.counter)
		if changed != c.changed || after.IsZero() == c.known {
			t.Errorf("%s at %d: %v since %s", c.table, c.counter, changed, after)
		}
	}
}

// TestMemoryWithoutAState: without a memory nothing is known, and a state that cannot be read is an error.
func TestMemoryWithoutAState(t *testing.T) {
	var none *Memory
	last, err := none.Last(t.Context())
	changed, _ := none.Changed("a", 1)
	if last != nil || err != nil || changed || none.Ran("a", 1, time.Time{}) != 0 || none.State("run", time.Now(), &Report{}) != nil {
		t.Error("a memory that is not there remembers")
	}
	for name, s := range map[string]*stored{"away": {err: errors.New("no")}, "odd": {value: json.RawMessage(`{"state":{"serde":"utf-8","payload":"["}}`)}, "unknown": {value: json.RawMessage(`{"state":{"serde":"zip"}}`)}} {
		m := &Memory{Checkpoints: s}
		if _, err := m.Last(t.Context()); err == nil {
			t.Errorf("%s: no error", name)
		}
		if m.State("run", time.Now(), &Report{}) != nil && name == "away" {
			t.Error("the last state is replaced although it was not read")
		}
	}
	m := memoryAt(t, &stored{}, "2026-11-28 10:00:00")
	m.Changed(strings.Repeat("x", limits.MaxStateBytes), 1) // limits.MaxStateBytes
	report := &Report{}
	if m.State("run", time.Now(), report) != nil || len(report.Warnings) != 1 {
		t.Errorf("a state that is too large: %v", report.Warnings)
	}
}
