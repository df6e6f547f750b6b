package rest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/gql/graphiql"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/rest/call"
)

const tagProposal = `{"proposal":{"entityType":"tag","entityUrn":"urn:li:tag:x","changeType":"UPSERT","aspectName":"tagProperties","aspect":{"value":"{\"name\":\"x\"}","contentType":"application/json"}}}`

func guarded(t *testing.T, g Guard) http.Handler {
	c := testcatalog.New(t)
	return New(Options{Catalog: c, Guard: g, GraphQL: gql.New(gql.Options{Catalog: c}), GraphiQL: graphiql.Handler("/api/graphiql")})
}

func send(h http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "localhost:8080"
	r.Header.Set("X-RestLi-Protocol-Version", "2.0.0")
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// refused reports whether an answer is a 403 in the form of the interface's errors.
func refused(t *testing.T, w *httptest.ResponseRecorder) bool {
	t.Helper()
	if w.Code != http.StatusForbidden {
		return false
	}
	var body call.ErrorBody
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || body.Status != http.StatusForbidden || body.ExceptionClass != restliException || body.Message == "" || w.Header().Get("X-RestLi-Error-Response") != "true" {
		t.Errorf("%s", w.Body)
	}
	return true
}

// TestOtherSites: requests that a browser sends for a page of another site are refused, and
// all others are not.
func TestOtherSites(t *testing.T) {
	h := guarded(t, Guard{TrustedOrigins: []string{"https://friend.example"}})
	foreign := map[string][]string{
		"a browser":        {"Content-Type", "text/plain", "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"},
		"the same machine": {"Content-Type", "text/plain", "Origin", "http://localhost:3000", "Sec-Fetch-Site", "same-site"},
		"an old browser":   {"Content-Type", "text/plain", "Origin", "https://evil.example"},
		"a frame":          {"Content-Type", "text/plain", "Origin", "null", "Sec-Fetch-Site", "cross-site"},
		"a form":           {"Content-Type", "application/x-www-form-urlencoded", "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"},
		"a picture":        {"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"},
	}
	requests := []struct{ method, target, body string }{
		{"POST", "/aspects?action=ingestProposal", tagProposal},
		{"POST", "/entities?action=ingest", `{}`},
		{"POST", "/entities?action=delete", `{"urn":"urn:li:tag:x"}`},
		{"POST", "/entities?action=batchDelete", `{}`},
		{"POST", "/runs?action=rollback", `{}`},
		{"POST", "/usageStats?action=batchIngest", `{}`},
		{"POST", "/api/graphql", `{"query":"mutation { createTag(input: {id: \"x\", name: \"x\"}) }"}`},
		{"POST", "/import", `{}`},
		{"GET", "/export", ""},
		{"GET", "/events", ""},
		{"GET", "/entities/urn%3Ali%3Atag%3Ax", ""},
		{"GET", "/metrics", ""},
		{"DELETE", "/nothing", ""},
	}
	for who, headers := range foreign {
		for _, r := range requests {
			if who == "a form" && r.method != "POST" && r.target != "/export" {
				continue // a person follows a link; tested below
			}
			if w := send(h, r.method, r.target, r.body, headers...); !refused(t, w) {
				t.Errorf("%s, %s %s: %d %s", who, r.method, r.target, w.Code, w.Body)
			}
		}
	}
	if w := send(h, "GET", "/entities/urn%3Ali%3Atag%3Ax", ""); strings.Contains(w.Body.String(), "tagProperties") {
		t.Errorf("something was written: %s", w.Body)
	}
	for who, headers := range map[string][]string{
		"curl -d":                  {"Content-Type", "application/x-www-form-urlencoded"},
		"the Python client":        {"Content-Type", "application/json", "User-Agent", "python-requests/2.31"},
		"a page of this server":    {"Origin", "http://localhost:8080", "Sec-Fetch-Site", "same-origin"},
		"an older browser's page":  {"Origin", "http://localhost:8080"},
		"what a person typed":      {"Sec-Fetch-Site", "none"},
		"a page of a trusted site": {"Origin", "https://friend.example", "Sec-Fetch-Site", "cross-site"},
	} {
		for _, r := range []struct{ method, target, body string }{
			{"POST", "/aspects?action=ingestProposal", tagProposal},
			{"POST", "/api/graphql", `{"query":"{ me { corpUser { urn } } }"}`},
			{"GET", "/export", ""},
		} {
			if w := send(h, r.method, r.target, r.body, headers...); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "errors") {
				t.Errorf("%s, %s %s: %d %s", who, r.method, r.target, w.Code, w.Body)
			}
		}
	}
	link := []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}
	for _, target := range []string{"/", "/docs/", "/restli/docs", "/api/graphiql", "/openapi.json", "/entities/urn%3Ali%3Atag%3Ax"} {
		if w := send(h, "GET", target, "", link...); w.Code != http.StatusOK {
			t.Errorf("a link to %s: %d %s", target, w.Code, w.Body)
		}
	}
}

// TestHosts: a server on a loopback address refuses the host names that other sites have
// directed to this machine.
func TestHosts(t *testing.T) {
	local := guarded(t, Guard{Local: true, Hosts: []string{"catalog.internal"}})
	for _, target := range []string{"/", "/health", "/config", "/entities/urn%3Ali%3Atag%3Ax", "/export", "/nothing"} {
		for _, host := range []string{"evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "2130706433.x", "[evil]"} {
			if w := send(local, "GET", target, "", "Host", host); !refused(t, w) {
				t.Errorf("%s %s: %d", host, target, w.Code)
			}
		}
	}
	for _, host := range []string{"localhost", "LOCALHOST:8080", "localhost.:8080", "127.0.0.1:8080", "[::1]:8080", "[::1]", "10.1.2.3", "catalog.internal:8080", "Catalog.Internal", ""} {
		if w := send(local, "GET", "/health", "", "Host", host); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", host, w.Code, w.Body)
		}
	}
	if w := send(guarded(t, Guard{}), "GET", "/health", "", "Host", "catalog.example.com"); w.Code != http.StatusOK {
		t.Errorf("a server that others reach answers to any name: %d", w.Code)
	}
}

// TestSecurityHeaders: every answer forbids browsers to guess its type and to show it in a
// frame. No page permits scripts of other servers.
func TestSecurityHeaders(t *testing.T) {
	h := guarded(t, Guard{Local: true})
	for _, target := range []string{"/", "/docs/", "/docs/swagger-ui.css", "/restli/docs", "/browser", "/api/graphiql", "/api/graphiql/start.js", "/openapi.json", "/health", "/nothing", "/entities?action=nothing", "/export"} {
		w := send(h, "GET", target, "")
		policy := w.Header().Get("Content-Security-Policy")
		if w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("X-Frame-Options") != "DENY" ||
			!strings.HasPrefix(policy, "default-src 'none'; ") || !strings.Contains(policy, "frame-ancestors 'none'") || !strings.Contains(policy, "base-uri 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: %d %v", target, w.Code, w.Header())
		}
		page := strings.HasPrefix(w.Header().Get("Content-Type"), "text/html")
		if page != strings.Contains(policy, "script-src 'self'") {
			t.Errorf("%s is %s and has the policy %s", target, w.Header().Get("Content-Type"), policy)
		}
	}
	if w := send(h, "GET", "/", "", "Host", "evil.example"); w.Header().Get("X-Content-Type-Options") != "nosniff" {
		t.Error(w.Header())
	}
}
