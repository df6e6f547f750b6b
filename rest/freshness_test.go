package rest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

const indexBehind = "X-Headwater-Index-Behind"

// TestAnswersSayWhatTheIndexLacks: an answer has the header exactly if the index lacked a
// change written before the request.
func TestAnswersSayWhatTheIndexLacks(t *testing.T) {
	h := catalogtest.NewIndexedHarness(t, follower.Index{Wait: time.Millisecond})
	server := httptest.NewServer(New(Options{Catalog: h.Services, MaxBodyBytes: limits.DefaultBodyBytes}))
	t.Cleanup(server.Close)
	questions := map[string]struct{ method, target, body string }{
		"search":       {http.MethodPost, "/entities?action=search", `{"input":"*","entity":"dataset"}`},
		"across":       {http.MethodPost, "/entities?action=searchAcrossEntities", `{"input":"*"}`},
		"autocomplete": {http.MethodPost, "/entities?action=autocomplete", `{"query":"d","entity":"dataset"}`},
		"browse":       {http.MethodPost, "/entities?action=browse", `{"path":"","entity":"dataset"}`},
		"lineage":      {http.MethodPost, "/entities?action=searchAcrossLineage", `{"input":"*","urn":"` + catalogtest.Table + `","direction":"DOWNSTREAM"}`},
	}
	ask := func(name string) string {
		q := questions[name]
		status, text, header := request(t, server, q.method, q.target, q.body)
		if status != http.StatusOK {
			t.Errorf("%s: %d %s", name, status, text)
		}
		return header.Get(indexBehind)
	}
	release := h.HoldIndex()
	h.Add(1)
	for name := range questions {
		if got := ask(name); got == "" || got == "0" {
			t.Errorf("%s: %s is %q", name, indexBehind, got)
		}
	}
	if _, _, header := request(t, server, http.MethodGet, "/aspects/"+strings.ReplaceAll(catalogtest.Table, ":", "%3A")+"?aspect=status&version=0", ""); header.Get(indexBehind) != "" {
		t.Errorf("a read that does not search has %s", indexBehind)
	}
	release()
	h.Await()
	for name := range questions {
		if got := ask(name); got != "" {
			t.Errorf("%s: the index has all, but %s is %q", name, indexBehind, got)
		}
	}
}

// TestWaitAsTheInterfaceSays: the header of the interface's own clients waits for the index
// as the parameter wait does.
func TestWaitAsTheInterfaceSays(t *testing.T) {
	h, server := serveHarness(t)
	write := func(value string) (int, string) {
		status, text, _ := request(t, server, http.MethodPost, "/aspects?action=ingestProposal",
			proposalBody("tag", "urn:li:tag:Waited", "tagProperties", `{"name":"`+value+`"}`), "X-RestLi-Protocol-Version", "2.0.0", call.SyncHeader, value)
		return status, text
	}
	if status, text := write("true"); status != http.StatusOK {
		t.Errorf("true: %d %s", status, text)
	}
	if lag, err := h.Follower.Lag(t.Context()); err != nil || lag != 0 {
		t.Errorf("%d changes are not indexed, %v", lag, err)
	}
	if status, text := write("perhaps"); status != http.StatusBadRequest || !strings.Contains(text, call.SyncHeader) {
		t.Errorf("perhaps: %d %s", status, text)
	}
}
