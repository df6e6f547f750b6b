package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// webhooks makes impossible webhooks, more webhooks than permitted, and webhooks whose
// receivers never answer, answer endlessly, redirect or fail. Beside them, an honest
// receiver must get every change. The attack starts a server of its own, which may send to
// this machine.
func webhooks(a *arena) {
	s, c := a.another("--webhook-private")
	if s == nil {
		return
	}
	defer s.kill()
	long := strings.Repeat("w", 100_000)
	for what, definition := range map[string]any{
		"a webhook to a file": map[string]any{"url": "file:///etc/passwd"}, "a webhook to gopher": map[string]any{"url": "gopher://127.0.0.1:70/"},
		"a webhook with a long URL": map[string]any{"url": "http://127.0.0.1/" + long}, "a webhook with a long id": map[string]any{"url": "http://127.0.0.1/", "id": long},
		"a webhook with a long description": map[string]any{"url": "http://127.0.0.1/", "description": long}, "an unknown member": map[string]any{"url": "http://127.0.0.1/", long[:500]: 1},
		"a filter of 100,000 URNs": map[string]any{"url": "http://127.0.0.1/", "filter": map[string]any{"urns": strings.Split(long, "")}}, "a webhook that is a list": []string{long},
	} {
		if r := c.post(a, "/webhooks", jsonOf(definition)); !r.refused() || len(r.body) > maxEcho {
			a.problem("%s is not refused in few words: %v", what, r)
		}
	}
	var elsewhere atomic.Int64
	trap := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer trap.Close()
	received, receiver := newReceived()
	defer receiver.Close()
	ended := make(chan struct{})
	bad := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/never":
			select {
			case <-ended:
			case <-r.Context().Done():
			}
		case "/endless":
			for piece := []byte(long); r.Context().Err() == nil; {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		case "/elsewhere":
			http.Redirect(w, r, trap.URL, http.StatusTemporaryRedirect)
		default:
			w.Header().Set("Retry-After", "999999999")
			http.Error(w, long, http.StatusInternalServerError)
		}
	}))
	defer bad.Close()
	defer close(ended)
	for _, url := range []string{receiver.URL, bad.URL + "/never", bad.URL + "/endless", bad.URL + "/elsewhere", bad.URL + "/fails"} {
		if r := c.post(a, "/webhooks", jsonOf(map[string]any{"url": url})); !r.ok() {
			a.problem("a webhook to %s cannot be made: %v", url, r)
			return
		}
	}
	written := pick(a, 200, 5000)
	many(written, 16, func(n int) {
		r := c.propose(a, "UPSERT", dataset(fmt.Sprintf("hooked%d", n)), "datasetProperties", map[string]any{"description": fmt.Sprint(n)})
		a.sent(1, len(r.body))
		if a.Err() == nil && !r.ok() {
			a.problem("a write beside the webhooks fails: %v", r)
		}
	})
	for a.Err() == nil && received.count() < written {
		sleep(a, 50*time.Millisecond)
	}
	if n := received.count(); n < written {
		a.problem("the receiver that answers got %d of %d changes", n, written)
	}
	if n := elsewhere.Load(); n > 0 {
		a.problem("%d requests went where a receiver sent them", n)
	}
	var made, refused atomic.Int64
	many(130, 32, func(int) {
		switch r := c.post(a, "/webhooks", jsonOf(map[string]any{"url": receiver.URL})); {
		case r.ok():
			made.Add(1)
		case r.refused():
			refused.Add(1)
		case a.Err() == nil:
			a.problem("one of many webhooks is neither made nor refused: %v", r)
		}
	})
	list, _ := c.get(a, "/webhooks").at("webhooks").([]any)
	if a.Err() == nil && (len(list) > 100 || len(list) != 5+int(made.Load())) {
		a.problem("%d webhooks were made and %d refused, and there are %d", made.Load(), refused.Load(), len(list))
	}
	a.judgeServer(s, c)
	a.note("%d changes delivered beside bad receivers; %d of 130 webhooks refused", received.count(), refused.Load())
}

// received has the datasets whose changes a receiver got.
type received struct {
	mu   sync.Mutex
	urns map[string]bool
}

func newReceived() (*received, *httptest.Server) {
	got := &received{urns: map[string]bool{}}
	return got, httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(io.LimitReader(r.Body, maxAnswer)) // a change that is cut off counts as missing
		got.mu.Lock()
		defer got.mu.Unlock()
		for _, part := range strings.Split(string(text), "hive,hooked")[1:] {
			number, _, _ := strings.Cut(part, ",")
			got.urns[number] = true
		}
	}))
}

func (r *received) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.urns)
}

// another starts a second server with an embedded store. It returns nil if the start fails.
func (a *arena) another(flags ...string) (*server, *client) {
	return a.anotherThat([]string{"serve"}, flags...)
}

// anotherThat starts a second server with another command.
func (a *arena) anotherThat(command []string, flags ...string) (*server, *client) {
	s, err := newServer(a.options, filepath.Join(a.server.dir, "another"+fmt.Sprint(time.Now().UnixNano())), flags...)
	if err == nil {
		s.command = command
		err = s.start()
	}
	if err != nil {
		a.problem("another server does not start: %v", err)
		return nil, nil
	}
	return s, newClient(s, 30*time.Second, 64)
}

// judgeServer checks another server: it must run, accept writes, and have used no more
// memory than permitted.
func (a *arena) judgeServer(s *server, c *client) {
	if high := s.status("VmHWM"); high > a.most() {
		a.problem("the other server took %s of memory, its limit is %s", size(high), size(a.memory))
	}
	if !s.alive() {
		a.problem("the other server died: %s", s.lastWords())
		return
	}
	if r := c.get(a, "/health/ready"); a.Err() == nil && !r.ok() {
		a.problem("the other server is not ready: %v", r)
	}
}
