package rest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/model"
)

// trailReader reads a stream of the audit trail.
type trailReader struct {
	*testing.T
	lines *bufio.Scanner
	// id is the id of the last event.
	id  string
	end context.CancelFunc
}

// readTrail begins to read a stream.
func readTrail(t *testing.T, server *httptest.Server, query, after string) *trailReader {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/audit?"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	if after != "" {
		req.Header.Set("Last-Event-ID", after)
	}
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		end()
		resp.Body.Close()
	})
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%d %v", resp.StatusCode, resp.Header)
	}
	r := &trailReader{T: t, lines: bufio.NewScanner(resp.Body), end: end}
	for r.id == "" { // the first heartbeat has the position at which the stream begins
		r.line()
	}
	return r
}

func (r *trailReader) line() string {
	r.Helper()
	if !r.lines.Scan() {
		r.Fatalf("the stream has ended: %v", r.lines.Err())
	}
	if id, ok := strings.CutPrefix(r.lines.Text(), "id: "); ok {
		r.id = id
	}
	return r.lines.Text()
}

// next returns the next entry.
func (r *trailReader) next() (e audit.Entry) {
	r.Helper()
	for {
		text, ok := strings.CutPrefix(r.line(), "data: ")
		if !ok {
			continue
		}
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			r.Fatal(err)
		}
		return e
	}
}

// TestAuditStream: the stream sends new entries, also those of another server over the store, and goes on
// after each event. The parameters select.
func TestAuditStream(t *testing.T) {
	s := serveAudited(t)
	other := audit.New(audit.Options{Records: records.New(s.catalog.Store), Now: testclock.Now})
	note := func(by *audit.Service, kind audit.Kind, door string) {
		by.Note(t.Context(), audit.Entry{Kind: kind, Actor: catalogtest.Ada, Allowed: true, Door: door})
	}
	note(s.trail, audit.SignIn, "before")
	whole, some := readTrail(t, s.Server, "", ""), readTrail(t, s.Server, "kind=tokenMade&actor=urn%3Ali%3Acorpuser%3Aada&allowed=true", "")
	begun := whole.id
	note(s.trail, audit.SignIn, "1")
	if e := whole.next(); e.Door != "1" || e.Kind != audit.SignIn || e.Actor != catalogtest.Ada || e.ID == "" {
		t.Errorf("%+v", e)
	}
	note(other, audit.TokenMade, "2")
	if e := whole.next(); e.Door != "2" {
		t.Errorf("%+v", e)
	}
	if e := some.next(); e.Door != "2" {
		t.Errorf("%+v", e)
	}
	second := readTrail(t, s.Server, "", begun)
	for _, want := range []string{"1", "2"} {
		if e := second.next(); e.Door != want {
			t.Errorf("after the beginning: %+v, want %s", e, want)
		}
	}
	since := readTrail(t, s.Server, "since=2020-01-01", "")
	for _, want := range []string{"before", "1", "2"} {
		if e := since.next(); e.Door != want {
			t.Errorf("since a moment: %+v, want %s", e, want)
		}
	}

	stream := []string{"Accept", "text/event-stream"}
	for target, says := range map[string]string{
		"/audit?until=2020-01-01": "a stream of the audit trail has no until", "/audit?limit=5": "no until", "/audit?cursor=1-ABCDEFGH-000000000001": "no until",
		"/audit?kind=none": "kind none is unknown", "/audit?since=soon": "not a moment",
	} {
		if status, answer, _ := request(t, s.Server, http.MethodGet, target, "", stream...); status != http.StatusBadRequest || !strings.Contains(answer, says) {
			t.Errorf("%s: %d %s", target, status, answer)
		}
	}
	if status, answer, _ := request(t, s.Server, http.MethodGet, "/audit", "", append(stream, "Last-Event-ID", "x")...); status != http.StatusBadRequest || !strings.Contains(answer, "Last-Event-ID") {
		t.Errorf("an id that is none: %d %s", status, answer)
	}
	s.caller = requestinfo.Caller{Actor: catalogtest.Ada, Means: requestinfo.ByToken}
	if status, answer, _ := request(t, s.Server, http.MethodGet, "/audit", "", stream...); status != http.StatusForbidden {
		t.Errorf("no administrator: %d %s", status, answer)
	}
	if status, _, _ := request(t, s.Server, http.MethodHead, "/audit", "", stream...); status != http.StatusForbidden {
		t.Errorf("HEAD of no administrator: %d", status)
	}
}

// TestAuditStreamsCount: streams of the audit trail count as event streams, and end with the server.
// One that is not read is closed.
func TestAuditStreamsCount(t *testing.T) {
	h := catalogtest.NewSearchHarness(t)
	trail := audit.New(audit.Options{Records: records.New(h.Store), Now: testclock.Now})
	closing, closeNow := context.WithCancel(context.Background())
	handler := New(Options{Catalog: h.Services, Audit: trail, EventStreams: 1, StreamWrite: 20 * time.Millisecond, Closing: closing})
	server := httptest.NewServer(handler)
	defer server.Close()
	open := readTrail(t, server, "", "")
	if status, answer, _ := request(t, server, http.MethodGet, "/events", "", "Accept", "text/event-stream"); status != http.StatusServiceUnavailable {
		t.Errorf("one stream too many: %d %s", status, answer)
	}
	open.end()
	testclock.Await(t, "the place is free", func() bool { return handler.streams.Count() == 0 })
	for range 20_000 {
		trail.Note(t.Context(), audit.Entry{Kind: audit.Write, Allowed: true, Agent: strings.Repeat("x", 300)})
		if trail.Lost() > 0 {
			break
		}
	}
	if _, err := trail.Search(t.Context(), audit.Search{Limit: 1}); err != nil { // stores the entries that wait
		t.Fatal(err)
	}
	deafTo(t, server, "/audit?since=2020-01-01", true) // the stream has begun

	testclock.Await(t, "a stream that is not read is closed", func() bool { return handler.streams.Count() == 0 })
	last := readTrail(t, server, "", "")
	closeNow()
	for last.lines.Scan() { //nolint:revive // until the server ends the stream
	}
}

// TestStreamEndsWithRole takes the role of administrators away while a stream is read.
func TestStreamEndsWithRole(t *testing.T) {
	g := newKnowing(t)
	token, _ := g.token(t, "ada")
	u := model.StoredURN(catalogtest.Ada)
	role := func(roles ...any) {
		t.Helper()
		err := g.rules.Edit(t.Context(), []write.Edit{write.Replace(u, model.AspectRoleMembership, func(catalog.AuditStamp) catalog.Tree { return catalog.Tree{"roles": append([]any{}, roles...)} })}, catalog.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	role("urn:li:dataHubRole:Admin")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.URL+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Accept", "text/event-stream")
	resp, err := g.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	role()
	// The stream ends only when the server ends it, which may cut the last piece.
	if _, err := io.Copy(io.Discard, resp.Body); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the stream ended with %v", err)
	}
}
