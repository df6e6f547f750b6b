package events

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestStreamsShareMemory: the memory of streams beyond their allowance is bounded, and is
// given back.
func TestStreamsShareMemory(t *testing.T) {
	s := NewPlaces(0, 0, nil)
	change := catalog.Change{Cursor: "1", Value: []byte(`"` + strings.Repeat("x", 2*limits.StreamAllowance) + `"`)}
	write := func() error {
		recorder := httptest.NewRecorder()
		out := &streamWriter{places: s, ctx: t.Context(), to: recorder, control: http.NewResponseController(recorder)}
		return out.events([]catalog.Change{change})
	}
	if err := write(); err != nil {
		t.Error(err)
	}
	if !s.large.TryAcquire(limits.StreamBytes) {
		t.Error("memory is not given back")
	}
	if err := write(); err == nil {
		t.Error("there is no room, and a stream goes on")
	}
}

// TestLimitOfStreams: as many streams are open as the limit, and a place that is left is free again.
func TestLimitOfStreams(t *testing.T) {
	s := NewPlaces(0, 0, nil)
	for n := range limits.EventStreams {
		if !s.enter() {
			t.Fatalf("stream %d is refused", n+1)
		}
	}
	if s.enter() {
		t.Error("one more stream is open")
	}
	s.leave()
	if !s.enter() || s.Count() != limits.EventStreams {
		t.Error("the place that a stream has left is not free")
	}
}
