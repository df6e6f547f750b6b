package typesense_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// front is a proxy before a search server. It refuses documents as the server refuses
// documents that it cannot index: the first URN with an error line of its own, the others
// by refusing the whole request.
type front struct {
	*httputil.ReverseProxy
	mu    sync.Mutex
	lines []string
	whole []string
}

func newFront(t testing.TB, address string) (*front, string) {
	t.Helper()
	behind, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	f := &front{ReverseProxy: httputil.NewSingleHostReverseProxy(behind)}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return f, server.URL
}

func (f *front) refuse(urns ...string) (allow func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lines, f.whole = urns[:1], urns[1:]
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.lines, f.whole = nil, nil
	}
}

func holds(text string, urns []string) bool {
	for _, urn := range urns {
		if strings.Contains(text, `"urn":"`+urn+`"`) {
			return true
		}
	}
	return false
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	lines, whole := f.lines, f.whole
	f.mu.Unlock()
	if !strings.HasSuffix(r.URL.Path, "/documents/import") || len(lines) == 0 {
		f.ReverseProxy.ServeHTTP(w, r)
		return
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	if holds(string(text), whole) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"message":"Bad JSON."}`)
		return
	}
	var sent, answers []string
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		answer := ""
		if holds(line, lines) {
			answer = `{"success":false,"code":400,"error":"Field is not of the type that it should be."}`
		} else {
			sent = append(sent, line)
		}
		answers = append(answers, answer)
	}
	recorder := httptest.NewRecorder()
	if len(sent) > 0 {
		body := []byte(strings.Join(sent, "\n") + "\n")
		r.Header.Del("Accept-Encoding") // the proxy must be able to read the answer
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		f.ReverseProxy.ServeHTTP(recorder, r)
	}
	took := strings.Split(recorder.Body.String(), "\n")
	for i := range answers {
		if answers[i] == "" {
			answers[i], took = took[0], took[1:]
		}
	}
	w.Header().Set("Content-Type", "text/plain")
	fmt.Fprint(w, strings.Join(answers, "\n"))
}

// TestDeletedCollection: a collection that another program deleted is damage, which a
// rebuild repairs. A collection that was replaced is not damage.
func TestDeletedCollection(t *testing.T) {
	address, ctx := testservers.Typesense(t), context.Background()
	prefix := fmt.Sprintf("gone%d", time.Now().UnixNano())
	x := open(t, options(prefix, address))
	if err := x.Write(ctx, indexer.Batch{Cursor: "1"}); err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/collections", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-TYPESENSE-API-KEY", testservers.TypesenseKey)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(text), `"name":"`) {
		name, _, _ := strings.Cut(part, `"`)
		if !strings.HasPrefix(name, prefix+"_") {
			continue
		}
		del, err := http.NewRequestWithContext(ctx, http.MethodDelete, address+"/collections/"+name, nil)
		if err != nil {
			t.Fatal(err)
		}
		del.Header = req.Header
		resp, err := http.DefaultClient.Do(del)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if cursor, err := x.Cursor(ctx); err != nil || cursor != "" {
		t.Errorf("the cursor is %q, %v", cursor, err)
	}
	if err := x.Write(ctx, indexer.Batch{Cursor: "2"}); !errors.Is(err, indexer.ErrDamaged) {
		t.Errorf("a write: %v", err)
	}
	build, err := x.Rebuild(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(build.Write(ctx, indexer.Batch{Cursor: "3"}), build.Swap(ctx)); err != nil {
		t.Fatal(err)
	}
	if cursor, err := x.Cursor(ctx); err != nil || cursor != "3" {
		t.Errorf("rebuilt, the cursor is %q, %v", cursor, err)
	}
}
