package rest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/internal/testcatalog"
	"github.com/headwater-io/headwater/web"
)

// newServer serves a fresh embedded catalog.
func newServer(t testing.TB) *httptest.Server {
	t.Helper()
	page, err := web.New()
	if err != nil {
		t.Fatal(err)
	}
	registry := prometheus.NewRegistry()
	closing := make(chan struct{})
	server := httptest.NewServer(New(Options{
		Catalog: testcatalog.New(t), Version: "test", MaxBodyBytes: 20 << 20,
		Registry: registry, Gatherer: registry, Closing: closing, Page: page,
	}))
	t.Cleanup(func() {
		close(closing)
		server.Close()
	})
	return server
}

// request sends a request and returns status and body.
func request(t testing.TB, server *httptest.Server, method, target, body string, headers ...string) (int, string, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, server.URL+target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if len(headers) == 0 {
		headers = []string{"X-RestLi-Protocol-Version", "2.0.0", "Content-Type", "application/json"}
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text), resp.Header
}

// TestExamplesRun sends every example of the documentation, in its order, to an
// empty server.
func TestExamplesRun(t *testing.T) {
	server := newServer(t)
	s := &Server{}
	s.endpoints = slices.DeleteFunc(s.allEndpoints(), func(e endpoint) bool { // these need an index
		return e.tag == "Search" || e.tag == "Browse" || e.path == "/index"
	})
	for i := range s.endpoints {
		e := &s.endpoints[i]
		t.Run(e.method+" "+e.path+" "+e.action, func(t *testing.T) {
			if e.action != "" && !json.Valid([]byte(e.example.body)) {
				t.Errorf("the example's body is not JSON: %s", e.example.body)
			}
			status, body, _ := request(t, server, e.method, e.target(), e.example.body)
			if status != e.success() {
				t.Errorf("%s answers %d: %s", e.target(), status, body)
			}
		})
	}
}
