package client

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/limits"
)

func TestAddress(t *testing.T) {
	for text, want := range map[string]string{
		"localhost:8080": "http://localhost:8080", "http://127.0.0.1:8080/": "http://127.0.0.1:8080", "localhost": "http://localhost",
		":8080": "http://localhost:8080", " host:1 ": "http://host:1", "host:8080/headwater/": "http://host:8080/headwater",
		"https://catalog.example/a/b": "https://catalog.example/a/b", "[::1]:8080": "http://[::1]:8080", "::1": "http://[::1]",
		"http://[::1]:8080": "http://[::1]:8080", "HTTP://Host:1": "http://Host:1",
	} {
		if got, err := Address(text); err != nil || got != want {
			t.Errorf("%q: %q %v, want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "no host", "http://": "no host", "ftp://x": "begins with ftp://", "localhost:port": "not the address", "host:99999": "99999 is not a port",
		"host:0": "0 is not a port", "a b": "not the address", "http://x?y=1": "something after the path", "x#y": "something after the path", "http//x:y": "two slashes",
		"ftp://me:secret@x": "ftp://", "http://me:secret@host:port": `"http://…@host:port" is not`, "me:secret@host:8080/x?y=1": `"…@host:8080/x?y=1" is not`,
		"http://me:secret/@host": "percent-encoded", "http://me:secret%zz@host": "percent-encoded", "http://me:p@secret@host:0": "0 is not a port",
	} {
		if got, err := Address(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %q %v, want an error with %q", text, got, err, want)
		}
	}
}

// TestWrongServers: an error about a server of another program names that server and the next step.
func TestWrongServers(t *testing.T) {
	answer := func(status int, kind, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			fmt.Fprint(w, text)
		}
	}
	page := httptest.NewServer(answer(200, "text/html", "<html>Log in</html>"))
	defer page.Close()
	secure := httptest.NewTLSServer(answer(200, "application/json", "{}"))
	defer secure.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer slow.Close()
	serve := func(h http.HandlerFunc) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.URL
	}
	for name, c := range map[string]struct {
		url, want   string
		unreachable bool
	}{
		"a page":                  {page.URL, "answers with a web page", false},
		"a page with an error":    {serve(answer(502, "text/html", "<html>Bad gateway</html>")), "answers with a web page: it is not a Headwater server, or there is a proxy in front of it", false},
		"a page to log in on":     {serve(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, page.URL+"/login", http.StatusFound) }), "which is another server", false},
		"no token":                {serve(answer(401, "text/plain", "no")), "--token or HEADWATER_TOKEN is the access token (HTTP 401)", false},
		"a refusal of ours":       {serve(answer(403, "application/json", `{"message":"you may not","status":403}`)), "you may not", false},
		"a proxy":                 {serve(answer(407, "text/plain", "")), "HTTP_PROXY", false},
		"no JSON":                 {serve(answer(200, "text/plain", "hello")), "cannot be understood", false},
		"https for http":          {strings.Replace(plain.URL, "http://", "https://", 1), "does not speak https; try --server http://", true},
		"http for https":          {strings.Replace(secure.URL, "https://", "http://", 1), "speaks https; try --server https://", false},
		"an unknown authority":    {secure.URL, "SSL_CERT_FILE", true},
		"nothing":                 {"http://127.0.0.1:1", "Is `headwater serve` running?", true},
		"no host":                 {"http://nosuch.invalid", `there is no host "nosuch.invalid"`, true},
		"a server without answer": {slow.URL, "no answer within 1s (--timeout)", true},
	} {
		var into map[string]any
		timeout := 30 * time.Second // on a busy machine the others answer late
		if c.url == slow.URL {
			timeout = time.Second
		}
		err := New(c.url, "", timeout).Get(t.Context(), "/x", &into)
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrUnreachable) != c.unreachable {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestFollowed: errors about the server that a replica follows name the settings of the replica.
func TestFollowed(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"message":"The token has been revoked.","status":401}`)
	}))
	defer refusing.Close()
	var into map[string]any
	err := NewFollowed(refusing.URL, "", time.Second).Get(t.Context(), "/x", &into)
	if err == nil || !strings.Contains(err.Error(), "The token has been revoked. (--source-token or HEADWATER_SOURCE_TOKEN is the access token)") {
		t.Errorf("a refusal: %v", err)
	}
	err = NewFollowed("http://127.0.0.1:1", "", time.Second).Get(t.Context(), "/x", &into)
	if !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "headwater follow is its address") || strings.Contains(err.Error(), "--server") {
		t.Errorf("nothing there: %v", err)
	}
}

// TestSources: errors about the server that a catalog is copied from name that server's
// settings. Its answers are read up to a bound.
func TestSources(t *testing.T) {
	long := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, "%q", strings.Repeat("x", 100)) }))
	defer long.Close()
	var into string
	if err := NewSource(long.URL, "", time.Second, 102).Get(t.Context(), "/x", &into); err != nil || len(into) != 100 {
		t.Errorf("an answer of the longest size: %v", err)
	}
	if err := NewSource(long.URL, "", time.Second, 101).Get(t.Context(), "/x", &into); !errors.Is(err, ErrTooLong) {
		t.Errorf("an answer that is too long: %v", err)
	}
	err := NewSource("http://me:secret@127.0.0.1:1", "", time.Second, 1).Get(t.Context(), "/x", &into)
	if err == nil || !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "nothing listens there. FROM is its address") || strings.Contains(err.Error(), "secret") {
		t.Errorf("nothing there: %v", err)
	}
	if address, err := SourceAddress("catalog.example/api/gms/"); err != nil || address != "http://catalog.example/api/gms" {
		t.Errorf("an address: %s %v", address, err)
	}
	if _, err := SourceAddress("file:///etc/passwd"); err == nil || strings.Contains(err.Error(), "--server") {
		t.Errorf("another scheme: %v", err)
	}
}

// TestHostileServer: an endless answer is refused, compressed or not. A redirect to another
// server is refused without a request to that server. A redirect within the server is
// followed with the token.
func TestHostileServer(t *testing.T) {
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, other.URL+"/steal", http.StatusTemporaryRedirect)
		case "/near":
			http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusTemporaryRedirect)
		case "/there":
			_, _ = fmt.Fprintf(w, "%q", r.Header.Get("Authorization"))
		case "/packed":
			w.Header().Set("Content-Encoding", "gzip")
			packed := gzip.NewWriter(w)
			_, _ = packed.Write(bytes.Repeat([]byte(" "), 2<<20))
			_ = packed.Close()
		case "/failing":
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write(bytes.Repeat([]byte("x"), 2*longestError))
		}
	}))
	defer server.Close()
	c := New(server.URL, "secret", time.Minute)
	if c.longest != limits.MaxAnswerBytes {
		t.Errorf("an answer may have %d bytes", c.longest)
	}
	c.longest = 1 << 20
	var token string
	if err := c.Get(t.Context(), "/near", &token); err != nil || token != "Bearer secret" {
		t.Errorf("%q %v", token, err)
	}
	if err := c.Get(t.Context(), "/packed", &token); !errors.Is(err, ErrTooLong) {
		t.Error(err)
	}
	if err := c.Get(t.Context(), "/loop", &token); err == nil || !strings.Contains(err.Error(), "redirects more than 5 times") {
		t.Error(err)
	}
	var answer *Error
	if err := c.Get(t.Context(), "/failing", &token); !errors.As(err, &answer) || len(answer.Message) > shownBytes {
		t.Error(err)
	}
	if err := c.Get(t.Context(), "/away", &token); err == nil || !strings.Contains(err.Error(), "which is another server") || errors.Is(err, ErrUnreachable) {
		t.Error(err)
	}
	if _, err := c.Stream(t.Context(), "/away"); err == nil || !strings.Contains(err.Error(), "which is another server") {
		t.Error(err)
	}
	if elsewhere.Load() != 0 {
		t.Error("the other server got a request")
	}
}
