package client

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// TestFollow: when a stream ends, the client goes on after the last event that it has read. It does
// not repeat a request that is refused.
func TestFollow(t *testing.T) {
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		after := r.Header.Get("Last-Event-ID")
		if r.Header.Get("Accept") != "text/event-stream" || r.Header.Get("Authorization") != "Bearer t" {
			t.Errorf("the headers are %v", r.Header)
		}
		switch n := calls.Add(1); {
		case n == 1 && after == "":
			fmt.Fprint(w, ": begun\nid: 0\n\nid: 1\nevent: entry\ndata: {\"n\":1}\n\n")
		case n == 2 && after == "1":
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"status":503,"message":"starting"}`)
		case n == 3 && after == "1":
			fmt.Fprint(w, "id: 2\ndata: {\"n\":2}\n\ndata: {\"n\":3}\n\n")
		case n == 4 && after == "2":
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"status":403,"message":"only administrators"}`)
		default:
			t.Errorf("call %d after %q", n, after)
		}
	}))
	defer server.Close()
	c := New(server.URL, "t", time.Minute)
	var read []string
	each := func(data []byte) error {
		read = append(read, string(data))
		return nil
	}
	var refused *Error
	if err := c.Follow(t.Context(), "/audit", each); !errors.As(err, &refused) || refused.Status != http.StatusForbidden {
		t.Errorf("the end: %v", err)
	}
	if want := []string{`{"n":1}`, `{"n":2}`, `{"n":3}`}; !slices.Equal(read, want) {
		t.Errorf("%q, want %q", read, want)
	}
	calls.Store(0)
	full := errors.New("the disk is full")
	if err := c.Follow(t.Context(), "/audit", func([]byte) error { return full }); !errors.Is(err, full) || calls.Load() != 1 {
		t.Errorf("an event that cannot be shown: %v after %d calls", err, calls.Load())
	}
}
