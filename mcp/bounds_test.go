package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/mcp"
	"github.com/headwater-io/headwater/sample"
)

// post sends a body as a client of a version of the protocol does. The version "" is for a
// client that does not name its version.
func post(ctx context.Context, h http.Handler, version, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if version != "" {
		r.Header.Set("Mcp-Protocol-Version", version)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// calls returns a batch of n calls of a tool.
func calls(n int, tool, arguments string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, i, tool, arguments)
	}
	return "[" + strings.Join(list, ",") + "]"
}

// counted counts the walks that run at a time.
type counted struct {
	graphstore.Store
	running, most, all atomic.Int64
	each               func(ctx context.Context)
}

func (c *counted) Walk(ctx context.Context, q graphstore.WalkQuery) (graphstore.Walk, error) {
	c.all.Add(1)
	running := c.running.Add(1)
	defer c.running.Add(-1)
	for most := c.most.Load(); running > most && !c.most.CompareAndSwap(most, running); most = c.most.Load() {
	}
	if c.each != nil {
		c.each(ctx)
	}
	return c.Store.Walk(ctx, q)
}

func countedHandler(t *testing.T) (http.Handler, *counted) {
	t.Helper()
	store := &counted{}
	c := testcatalog.Wrapped(t, func(s graphstore.Store) graphstore.Store {
		store.Store = s
		return store
	})
	if _, err := sample.Load(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	return mcp.New(mcp.Options{Catalog: c}), store
}

// TestBatches: a client of a version with batches may send a short batch, whose calls run one
// after another. Later versions have no batches.
func TestBatches(t *testing.T) {
	h, store := countedHandler(t)
	const lineage, of = "lineage", `{"of":"marts.orders"}`
	for _, version := range []string{"", "2025-03-26"} {
		w := post(t.Context(), h, version, calls(limits.MaxAgentCalls, lineage, of))
		var answers []struct {
			ID     int
			Result struct {
				IsError bool
				Content []struct{ Text string }
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &answers); err != nil || w.Code != http.StatusOK || len(answers) != limits.MaxAgentCalls {
			t.Fatalf("%q: %d, %d answers, %v: %.300s", version, w.Code, len(answers), err, w.Body)
		}
		for _, a := range answers {
			if a.Result.IsError || !strings.Contains(a.Result.Content[0].Text, "raw.orders") {
				t.Errorf("%q: %+v", version, a)
			}
		}
		if store.most.Load() != 1 {
			t.Errorf("%q: %d calls of a batch walk at a time", version, store.most.Load())
		}
	}
	walked := store.all.Load()
	for version, body := range map[string]string{
		"": calls(limits.MaxAgentCalls+1, lineage, of), "2025-03-26": calls(20_000, lineage, of),
		"2025-06-18": calls(2, lineage, of), "2025-11-25": calls(1, lineage, of), "2024-11-05": " \n" + calls(600, lineage, of),
	} {
		if w := post(t.Context(), h, version, body); w.Code != http.StatusBadRequest || w.Body.Len() > limits.MaxMessageBytes || !strings.Contains(w.Body.String(), "batch") {
			t.Errorf("%q: %d: %.300s", version, w.Code, w.Body)
		}
	}
	if store.all.Load() != walked {
		t.Errorf("a batch that is refused walks %d times", store.all.Load()-walked)
	}
}

// TestBatchEnds: after the caller of a batch has left, no further calls of the batch begin.
func TestBatchEnds(t *testing.T) {
	h, store := countedHandler(t)
	ctx, leave := context.WithCancel(t.Context())
	store.each = func(context.Context) { leave() }
	post(ctx, h, "2025-03-26", calls(limits.MaxAgentCalls, "lineage", `{"of":"marts.orders"}`))
	if n := store.all.Load(); n != 1 {
		t.Errorf("%d walks for a caller who left during the first", n)
	}
}

// TestSameIDTwice: a batch that has the same id twice is refused.
func TestSameIDTwice(t *testing.T) {
	h, _ := countedHandler(t)
	one := strings.Trim(calls(1, "lineage", `{"of":"marts.orders"}`), "[]")
	for _, other := range []string{one, strings.Replace(one, `"id":0`, `"id":0,"ID":1`, 1)} {
		if w := post(t.Context(), h, "", "["+one+","+other+"]"); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d: %.300s", other, w.Code, w.Body)
		}
	}
}

// TestNothingOpenEnded: a request that a server of a stateless transport cannot serve is
// refused at once, and its connection is not kept open.
func TestNothingOpenEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := mcp.New(mcp.Options{Catalog: testcatalog.New(t)})
		for _, method := range []string{"subscriptions/listen", "resources/subscribe", "resources/list", "logging/setLevel", "completion/complete"} {
			for _, version := range []string{"2025-03-26", "2025-11-25", "2026-07-28"} {
				body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"uri":"x","notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"}}}}`, method, version)
				done := make(chan *httptest.ResponseRecorder, 1)
				go func() { done <- post(context.Background(), h, version, body, "Mcp-Method", method) }()
				synctest.Wait()
				select {
				case <-done:
				default:
					t.Fatalf("%s %s stays open", version, method)
				}
			}
		}
	})
}

// TestErrorsAreShort: no error repeats long parts of the request.
func TestErrorsAreShort(t *testing.T) {
	h := mcp.New(mcp.Options{Catalog: testcatalog.New(t)})
	long := strings.Repeat("x", 100_000)
	call := func(method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	}
	for name, body := range map[string]string{
		"method":              call(long, `{}`),
		"method, in a batch":  "[" + call(long, `{}`) + "]",
		"notification":        `{"jsonrpc":"2.0","method":"` + long + `"}`,
		"tool":                call("tools/call", `{"name":"`+long+`","arguments":{}}`),
		"prompt":              call("prompts/get", `{"name":"`+long+`"}`),
		"argument of prompt":  call("prompts/get", `{"name":"impact","arguments":{"`+long+`":"x"}}`),
		"argument":            call("tools/call", `{"name":"lineage","arguments":{"`+long+`":1}}`),
		"value":               call("tools/call", `{"name":"lineage","arguments":{"of":"`+long+`"}}`),
		"enum":                call("tools/call", `{"name":"lineage","arguments":{"of":"a","direction":"`+long+`"}}`),
		"number":              call("tools/call", `{"name":"lineage","arguments":{"of":"a","hops":"`+long+`"}}`),
		"item":                call("tools/call", `{"name":"search","arguments":{"query":"a","types":["`+long+`"]}}`),
		"params":              call("tools/call", `"`+long+`"`),
		"cursor":              call("tools/list", `{"cursor":"`+long+`"}`),
		"id":                  `{"jsonrpc":"2.0","id":"` + long + `","method":"nothing"}`,
		"id of a call":        `{"jsonrpc":"2.0","id":"` + long + `","method":"ping"}`,
		"version of JSON-RPC": `{"jsonrpc":"` + long + `","id":1,"method":"ping"}`,
		"no JSON":             long,
		"member":              `{"jsonrpc":"2.0","id":1,"method":"ping","` + long + `":1}`,
		"version":             call("initialize", `{"protocolVersion":"`+long+`","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`),
		"version of meta":     call("tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"`+long+`"}}`),
	} {
		for _, version := range []string{"", "2025-06-18", "2026-07-28"} {
			if w := post(t.Context(), h, version, body); w.Body.Len() > 2*limits.MaxMessageBytes {
				t.Errorf("%s, version %q: %d with %d bytes: %.100s", name, version, w.Code, w.Body.Len(), w.Body)
			} else if name == "method" && !strings.Contains(w.Body.String(), "xxx") {
				t.Errorf("the error does not name the method: %s", w.Body)
			}
		}
	}
	for header, value := range map[string]string{"Mcp-Protocol-Version": long, "Mcp-Method": long, "Mcp-Name": long, "Mcp-Session-Id": long, "Last-Event-ID": long} {
		for _, version := range []string{"", "2026-07-28"} {
			if w := post(t.Context(), h, version, call("tools/list", `{}`), header, value); w.Code != http.StatusOK && w.Body.Len() > 2*limits.MaxMessageBytes {
				t.Errorf("header %s, version %q: %d with %d bytes: %.100s", header, version, w.Code, w.Body.Len(), w.Body)
			}
		}
	}
}
