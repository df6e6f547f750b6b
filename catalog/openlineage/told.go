package openlineage

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/shorthash"
)

// told has the latest events of a run, as they came. The kept events are later than all dropped ones, so they do not
// depend on the order of arrival.
type told struct {
	// Events are in the order of their times, the latest first.
	Events []toldEvent `json:"events,omitempty"`
	// Dropped is the latest event that found no room.
	Dropped *place `json:"dropped,omitempty"`
}

// place is the place of an event in the order of the events of a run.
type place struct {
	At   int64 `json:"at"`
	Rank int   `json:"rank,omitempty"`
	// Sum is a hash of the text: the same event sent again has the same place.
	Sum string `json:"sum"`
}

type toldEvent struct {
	place
	Type  string `json:"type,omitempty"`
	Bytes int    `json:"bytes"`
	// Text is the event, nil if it is too large.
	Text json.RawMessage `json:"text,omitempty"`
}

func (p place) compare(other place) int {
	return cmp.Or(cmp.Compare(p.At, other.At), cmp.Compare(p.Rank, other.Rank), cmp.Compare(p.Sum, other.Sum))
}

// size is how much of the room of its run an event takes.
func (e *toldEvent) size() int { return len(e.Text) }

// merge adds an event, and drops the oldest events if there are more than most, or if all are too large together.
func (t *told) merge(e *event, most int) {
	one := toldEvent{place: place{e.at, e.rank, shorthash.Of(e.text)}, Type: e.EventType, Bytes: len(e.text)}
	if t.Dropped != nil && one.compare(*t.Dropped) <= 0 {
		return
	}
	if one.Bytes <= limits.OpenLineageEventBytes {
		one.Text = bytes.Clone(e.text) // the text may be a part of a large request
	}
	at, known := slices.BinarySearchFunc(t.Events, one.place, func(a toldEvent, b place) int { return -a.compare(b) })
	if known {
		return
	}
	t.Events = slices.Insert(slices.Clone(t.Events), at, one)
	size := 0
	for i := range t.Events {
		size += t.Events[i].size()
		if i < most && size <= limits.OpenLineageRunEventBytes {
			continue
		}
		t.Dropped = &t.Events[i].place
		t.Events = slices.Clone(t.Events[:i])
		return
	}
}

func (t *told) clone() *told {
	c := *t // the events are never changed in place
	return &c
}

// mergeTold keeps the text of an event of a run.
func (w *work) mergeTold(e *event) error {
	if w.keptEvents == 0 {
		return nil
	}
	t, err := w.told.touch(w.ctx, e.runID())
	if err == nil {
		t.merge(e, w.keptEvents)
	}
	return err
}

// loadTold reads the kept events of runs. A run that no event names has no events: [Service.Forget] deletes them before
// it deletes the run.
func (w *work) loadTold(runs []string) error {
	if w.keptEvents == 0 {
		return nil
	}
	var known []string
	for _, id := range runs {
		if r := w.runs.loaded[id]; r == nil || r.before != nil {
			known = append(known, id)
		} else {
			w.told.loaded[id] = &state[told]{value: &told{}}
		}
	}
	return w.told.loadAll(w.ctx, known)
}

// SentEvent is an event of a run as it came.
type SentEvent struct {
	EventTime string `json:"eventTime"`
	EventType string `json:"eventType,omitempty"`
	Bytes     int    `json:"bytes"`
	// Event is absent if the event is larger than events of a run may be to be kept.
	Event json.RawMessage `json:"event,omitempty"`
}

// sentEventsOf returns the stored events of a run, the latest first, and whether older ones were dropped.
func (s *Service) sentEventsOf(ctx context.Context, run string) (events []SentEvent, dropped bool, err error) {
	record, _, err := s.toldRecords.Get(ctx, run)
	for i := range record.Value.Events {
		e := &record.Value.Events[i]
		events = append(events, SentEvent{EventTime: time.Unix(0, e.At).UTC().Format(time.RFC3339Nano), EventType: e.Type, Bytes: e.Bytes, Event: e.Text})
	}
	return events, record.Value.Dropped != nil, err
}
