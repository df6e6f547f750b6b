package sse

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/headwater-io/headwater/internal/limits"
)

// TestStreamsShareMemory: the memory of streams beyond their allowance is bounded, and is
// given back.
func TestStreamsShareMemory(t *testing.T) {
	s := NewPlaces(0, 0, nil)
	write := func() error {
		recorder := httptest.NewRecorder()
		out := &Stream{places: s, Ctx: t.Context(), to: recorder, control: http.NewResponseController(recorder)}
		release, err := out.Hold(2 * limits.StreamAllowance)
		if err != nil {
			return err
		}
		defer release()
		return out.Send([]byte(": x\n\n"))
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
