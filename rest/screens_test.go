package rest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	restaccess "github.com/headwater-io/headwater/rest/access"
	"github.com/headwater-io/headwater/web"
)

const browserAccept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

func withPage(t *testing.T) http.Handler {
	page, err := web.New()
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{Catalog: testcatalog.New(t), Page: page, Guard: Guard{Local: true}})
}

func isScreen(body string) bool { return strings.Contains(body, `<div id="app">`) }

// TestStart: at /, browsers get the web page, and programs get the same answer as without a
// web page.
func TestStart(t *testing.T) {
	h := withPage(t)
	for accept, want := range map[string]bool{
		browserAccept: true, "text/html": true, "TEXT/HTML; charset=utf-8": true, "application/json, text/html;q=0.9": true, "text/html;q=1.0": true,
		"": false, "*/*": false, "application/json": false, "text/*": false, "text/html;q=0": false, "text/html; q=0.0": false, "text/htmlx": false,
	} {
		w := send(h, "GET", "/", "", "Accept", accept)
		if w.Code != http.StatusOK || isScreen(w.Body.String()) != want || !strings.Contains(strings.Join(w.Header().Values("Vary"), ","), "Accept") {
			t.Errorf("%q: %d %v %.200s", accept, w.Code, w.Header(), w.Body)
		}
		if !want && !strings.Contains(w.Body.String(), "/restli/docs") {
			t.Errorf("%q: not the page with links: %.200s", accept, w.Body)
		}
	}
	without := New(Options{Catalog: testcatalog.New(t)})
	if w := send(without, "GET", "/", "", "Accept", browserAccept); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "/restli/docs") {
		t.Errorf("a server without the page: %d %.200s", w.Code, w.Body)
	}
	if w := send(without, "GET", "/ui/search", ""); w.Code != http.StatusNotFound {
		t.Errorf("a server without the page: %d", w.Code)
	}
}

// TestScreens: every path below /ui is answered with the page, for all callers and even if
// the path is hostile. Every answer has the policy.
func TestScreens(t *testing.T) {
	h := withPage(t)
	for _, target := range []string{
		"/ui", "/ui/", "/ui/search?q=orders&type=dataset", "/ui/browse", "/ui/runs/run%2F1",
		"/ui/entity/urn%3Ali%3Adataset%3A%28urn%3Ali%3AdataPlatform%3As3%2Ca%2Fb%2CPROD%29?tab=columns",
		"/ui/entity/urn:li:dataset:(urn:li:dataPlatform:s3,a/b,PROD)", "/ui/../", "/ui/../config", "/ui/%2e%2e/%2e%2e/etc/passwd", "/ui//", "/ui//etc/passwd",
		"/ui/entity/%00", "/ui/entity/%3Cscript%3Ealert(1)%3C%2Fscript%3E", "/ui/" + strings.Repeat("a/", 2000),
	} {
		w := send(h, "GET", target, "", "Accept", "*/*")
		header := w.Header()
		if w.Code != http.StatusOK || !isScreen(w.Body.String()) {
			t.Errorf("%.80s: %d %.200s", target, w.Code, w.Body)
		}
		if header.Get("Content-Security-Policy") != web.Policy || header.Get("X-Content-Type-Options") != "nosniff" || header.Get("Referrer-Policy") != "no-referrer" ||
			header.Get("X-Frame-Options") != "DENY" || header.Get("Cache-Control") != "no-cache" || header.Get("ETag") == "" {
			t.Errorf("%.80s: %v", target, header)
		}
		if strings.Contains(w.Body.String(), "alert") {
			t.Errorf("%s: the address is in the page", target)
		}
		head := send(h, "HEAD", target, "")
		if head.Code != http.StatusOK || head.Body.Len() > 0 || head.Header().Get("Content-Type") != header.Get("Content-Type") {
			t.Errorf("HEAD %.80s: %d", target, head.Code)
		}
	}
	if w := send(h, "GET", "/ui/entity/%ff", ""); w.Code != http.StatusBadRequest {
		t.Errorf("an address that is not text: %d", w.Code)
	}
	if w := send(h, "POST", "/ui/search", ""); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d, Allow: %s", w.Code, w.Header().Get("Allow"))
	}
	if w := send(h, "GET", "/ui/search", "", "Host", "evil.example"); !refused(t, w) {
		t.Errorf("another host: %d", w.Code)
	}
}

// TestScreenFiles: files of the page are sent compressed to clients that accept this, and
// are not compressed twice. A missing file is an error in the interface's form.
func TestScreenFiles(t *testing.T) {
	h := withPage(t)
	w := send(h, "GET", "/", "", "Accept", browserAccept)
	_, after, _ := strings.Cut(w.Body.String(), `src="`)
	script, _, _ := strings.Cut(after, `"`)
	if !strings.HasPrefix(script, "/ui/assets/") {
		t.Fatalf("the script is %q", script)
	}
	plain := send(h, "GET", script, "")
	packed := send(h, "GET", script, "", "Accept-Encoding", "gzip, deflate, br")
	if plain.Code != http.StatusOK || plain.Header().Get("Content-Encoding") != "" || packed.Code != http.StatusOK || packed.Header().Get("Content-Encoding") != "gzip" ||
		packed.Body.Len() >= plain.Body.Len() || string(packed.Body.Bytes()[:2]) != "\x1f\x8b" {
		t.Errorf("%d bytes %v, packed %d bytes %v", plain.Body.Len(), plain.Header(), packed.Body.Len(), packed.Header())
	}
	if vary := packed.Header().Values("Vary"); len(vary) != 1 || vary[0] != "Accept-Encoding" {
		t.Errorf("Vary: %v", vary)
	}
	if w := send(h, "GET", script, "", "If-None-Match", plain.Header().Get("ETag")); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("once more: %d", w.Code)
	}
	for _, missing := range []string{"/ui/assets/", "/ui/assets/none-00000000.js", "/ui/assets/../index.html", "/ui/assets/%2e%2e/index.html"} {
		w := send(h, "GET", missing, "")
		if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), restliException) || strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d %v %.200s", missing, w.Code, w.Header(), w.Body)
		}
	}
	if w := send(h, "GET", "/ui/icon.svg", ""); w.Code != http.StatusOK || w.Header().Get("Content-Type") != "image/svg+xml" {
		t.Errorf("the icon: %d %v", w.Code, w.Header())
	}
}

// TestStartUnknown: with authentication on, only a known caller gets the search box that the document of the start page has in
// itself. An unknown caller gets the document of the other screens, because the page leads them to the sign-in screen.
func TestStartUnknown(t *testing.T) {
	g := newKnowing(t)
	page, err := web.New()
	if err != nil {
		t.Fatal(err)
	}
	token, _ := g.token(t, "ada")
	knowing := New(Options{Catalog: g.rules, Callers: g.rest.Callers, Page: page})
	for _, caller := range []struct {
		name    string
		h       http.Handler
		headers []string
		box     bool
	}{
		{"without authentication", withPage(t), nil, true},
		{"nobody", knowing, nil, false},
		{"a session that has ended", knowing, []string{"Cookie", restaccess.SessionCookie + "=abc"}, false},
		{"ada", knowing, []string{"Authorization", "Bearer " + token}, true},
	} {
		w := send(caller.h, "GET", "/", "", append([]string{"Accept", browserAccept}, caller.headers...)...)
		if box := strings.Contains(w.Body.String(), `role="search"`); w.Code != http.StatusOK || !isScreen(w.Body.String()) || box != caller.box {
			t.Errorf("%s: %d, a search box: %v", caller.name, w.Code, box)
		}
		if !strings.Contains(strings.Join(w.Header().Values("Vary"), ","), "Cookie") {
			t.Errorf("%s: caches are not told that the answer depends on the cookie: %v", caller.name, w.Header())
		}
	}
}
