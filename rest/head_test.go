package rest

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/rest/call"
)

// TestHead: HEAD is answered like GET but without the body, for every GET that is not a
// stream. The examples of the documentation are sent in their order.
func TestHead(t *testing.T) {
	server := newServer(t)
	s := &Server{}
	s.endpoints = slices.DeleteFunc(s.allEndpoints(), func(e call.Endpoint) bool { // these examples need an index
		return e.Tag == "Search" || e.Tag == "Browse" || e.Path == "/index"
	})
	for i := range s.endpoints {
		e := &s.endpoints[i]
		target := e.Target()
		status, body, header := request(t, server, e.Method, target, e.Example.Body)
		own := slices.ContainsFunc(s.endpoints, func(o call.Endpoint) bool { // this HEAD has a status of its own, which clients know
			return o.Method == http.MethodHead && o.Path == e.Path && e.SameShape(&o)
		})
		if e.Method != http.MethodGet || own {
			continue
		}
		headStatus, headBody, head := request(t, server, http.MethodHead, target, "")
		if e.Streams {
			if headStatus != http.StatusMethodNotAllowed || head.Get("Allow") != http.MethodGet {
				t.Errorf("HEAD %s: %d, Allow: %s", target, headStatus, head.Get("Allow"))
			}
			continue
		}
		if headStatus != status || headBody != "" {
			t.Errorf("HEAD %s: %d %q, but GET answers %d", target, headStatus, headBody, status)
		}
		for _, name := range []string{"Content-Type", "Content-Encoding", "Content-Security-Policy"} {
			if got, want := head.Get(name), header.Get(name); got != want {
				t.Errorf("HEAD %s: %s is %q, but for GET %q", target, name, got, want)
			}
		}
		if length := head.Get("Content-Length"); header.Get("Content-Encoding") == "" && length != "" && length != strconv.Itoa(len(body)) {
			t.Errorf("HEAD %s: the length is %s, but GET answers %d bytes", target, length, len(body))
		}
	}
	for _, target := range []string{"/metrics", "/health", "/health/ready", "/docs/", "/openapi.json", "/"} {
		if status, body, _ := request(t, server, http.MethodHead, target, ""); status != http.StatusOK || body != "" {
			t.Errorf("HEAD %s: %d %q", target, status, body)
		}
	}
	if status, _, _ := request(t, server, http.MethodHead, "/events", "", "Accept", "text/event-stream"); status != http.StatusOK {
		t.Errorf("HEAD of a stream: %d", status)
	}
}

// TestAllow: a request with a method that a path lacks gets the methods of the path in the
// header Allow.
func TestAllow(t *testing.T) {
	server := newServer(t)
	for _, c := range []struct {
		method, target string
		status         int
		allow          string
	}{
		{http.MethodOptions, "/health", http.StatusNoContent, "GET, HEAD, OPTIONS"},
		{http.MethodPost, "/health", http.StatusMethodNotAllowed, "GET, HEAD"},
		{"BREW", "/health", http.StatusMethodNotAllowed, "GET, HEAD"},
		{http.MethodOptions, "/export", http.StatusNoContent, "GET, OPTIONS"},
		{http.MethodOptions, "/nothing/here", http.StatusNotFound, ""},
	} {
		status, _, header := request(t, server, c.method, c.target, "")
		if allow := header.Get("Allow"); status != c.status || allow != c.allow {
			t.Errorf("%s %s: %d, Allow: %s", c.method, c.target, status, allow)
		}
	}
}

// TestProbesAreQuiet: requests of probes are logged only if they fail or if debugging
// is on.
func TestProbesAreQuiet(t *testing.T) {
	for _, c := range []struct {
		level slog.Level
		lines int
	}{{slog.LevelInfo, 1}, {slog.LevelDebug, 5}} {
		var log bytes.Buffer
		handler := New(Options{Catalog: testcatalog.New(t), Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: c.level}))})
		for _, path := range []string{"/health", "/health/", "/health/ready", "/health/check/ready", "/config"} {
			handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
		}
		if lines := strings.Count(log.String(), "msg=request"); lines != c.lines {
			t.Errorf("%v: %d lines: %s", c.level, lines, &log)
		}
	}
}
