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
