package rest

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/rest/call"
)

// hangingWalks is a store whose walks hang until the test ends.
type hangingWalks struct {
	graphstore.Store
	begun chan struct{}
}

func (s *hangingWalks) Walk(ctx context.Context, _ graphstore.WalkQuery) (graphstore.Walk, error) {
	s.begun <- struct{}{}
	<-ctx.Done()
	return graphstore.Walk{}, ctx.Err()
}

// serveWith serves a catalog over a wrapped store. It also returns the handler.
func serveWith(t *testing.T, o Options, wrap func(graphstore.Store) graphstore.Store) (*httptest.Server, *Server) {
	t.Helper()
	o.Catalog = testcatalog.Wrapped(t, wrap)
	closing, closeNow := context.WithCancel(context.Background())
	o.Closing = closing
	handler := New(o)
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		closeNow()
		server.CloseClientConnections()
		server.Close()
	})
	return server, handler
}

func plain(s graphstore.Store) graphstore.Store { return s }

// deaf opens an event stream and never reads its events. If wantAnswer is set, it returns
// the beginning of the answer.
func deaf(t *testing.T, server *httptest.Server, wantAnswer bool) string {
	t.Helper()
	return deafTo(t, server, "/events?limit=1000", wantAnswer)
}

func deafTo(t *testing.T, server *httptest.Server, target string, wantAnswer bool) string {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "GET "+target+" HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if !wantAnswer {
		return ""
	}
	head := make([]byte, 512)
	n, err := conn.Read(head)
	if err != nil {
		t.Fatal(err)
	}
	return string(head[:n])
}

// writeLarge fills the log with more bytes than a connection accepts from a client that
// does not read.
func writeLarge(t *testing.T, server *httptest.Server) {
	t.Helper()
	for n := range 12 {
		value := fmt.Sprintf(`{"description":"%d %s"}`, n, strings.Repeat("x", 400_000))
		body := proposalBody("dataset", call.ExampleTable, "datasetProperties", value)
		if status, answer, _ := request(t, server, "POST", "/aspects?action=ingestProposal", body); status != http.StatusOK {
			t.Fatal(status, answer)
		}
	}
}

// TestStreamsThatNobodyReads: the number of streams is bounded, a stream that is not read
// is closed, and its place is then free again.
func TestStreamsThatNobodyReads(t *testing.T) {
	server, handler := serveWith(t, Options{EventStreams: 3, StreamWrite: time.Hour}, plain)
	writeLarge(t, server)
	for range 3 {
		if answer := deaf(t, server, true); !strings.HasPrefix(answer, "HTTP/1.1 200") {
			t.Fatal(answer)
		}
	}
	status, body, header := request(t, server, "GET", "/events", "", "Accept", "text/event-stream")
	if status != http.StatusServiceUnavailable || header.Get("Retry-After") == "" || !strings.Contains(body, "3 event streams") {
		t.Errorf("one stream too many: %d %s", status, body)
	}
	if status, _, _ := request(t, server, "GET", "/events?limit=1", ""); status != http.StatusOK {
		t.Errorf("a page of events beside the streams: %d", status)
	}
	if n := handler.streams.Count(); n != 3 {
		t.Errorf("%d streams are open", n)
	}

	impatient, handler := serveWith(t, Options{EventStreams: 3, StreamWrite: 20 * time.Millisecond}, plain)
	writeLarge(t, impatient)
	for range 3 {
		deaf(t, impatient, false)
	}
	testclock.Await(t, "a stream that is not read is closed", func() bool { return handler.streams.Count() == 0 })
}

// TestStreamsThatAreClosedWhileStuck: closing the server does not wait for a
// stream that nobody reads.
func TestStreamsThatAreClosedWhileStuck(t *testing.T) {
	closing, closeNow := context.WithCancel(context.Background())
	handler := New(Options{Catalog: testcatalog.New(t), Closing: closing, StreamWrite: time.Hour})
	server := httptest.NewServer(handler)
	defer server.Close()
	writeLarge(t, server)
	deaf(t, server, true)
	closeNow()
	testclock.Await(t, "the stream ends", func() bool { return handler.streams.Count() == 0 })
}

// TestWaitingEndsWhenClosing: a caller that waits for events is answered when the server
// closes.
func TestWaitingEndsWhenClosing(t *testing.T) {
	closing, closeNow := context.WithCancel(context.Background())
	server := httptest.NewServer(New(Options{Catalog: testcatalog.New(t), Closing: closing}))
	defer server.Close()
	time.AfterFunc(50*time.Millisecond, closeNow)
	began := time.Now()
	status, body, _ := request(t, server, "GET", "/events?from=now&wait=30", "")
	if status != http.StatusOK || !strings.Contains(body, `"events":[]`) {
		t.Errorf("%d %s", status, body)
	}
	if waited := time.Since(began); waited > longestWait/2 {
		t.Errorf("waited for %v", waited)
	}
}

// hangingLog is a store whose log hangs: a reading ends only when its context ends.
type hangingLog struct {
	graphstore.Store
	hangs   atomic.Bool
	reading chan struct{}
}

func (s *hangingLog) Changes(ctx context.Context, after string, limit int) ([]graphstore.Change, string, error) {
	if !s.hangs.Load() {
		return s.Store.Changes(ctx, after, limit)
	}
	select {
	case s.reading <- struct{}{}:
	default:
	}
	<-ctx.Done()
	return nil, "", ctx.Err()
}

// TestClosingWhileTheLogIsRead: if the server closes while the log is read, the caller gets
// the answer without events.
func TestClosingWhileTheLogIsRead(t *testing.T) {
	log := &hangingLog{reading: make(chan struct{}, 1)}
	closing, closeNow := context.WithCancel(context.Background())
	server := httptest.NewServer(New(Options{Closing: closing, Catalog: testcatalog.Wrapped(t, func(inner graphstore.Store) graphstore.Store {
		log.Store = inner
		return log
	})}))
	defer server.Close()
	log.hangs.Store(true)
	go func() {
		<-log.reading
		closeNow()
	}()
	status, body, _ := request(t, server, "GET", "/events?from=0&wait=30", "")
	if status != http.StatusOK || !strings.Contains(body, `"events":[],"next":"0"`) {
		t.Errorf("%d %s", status, body)
	}
}

// TestStarvation: while 500 streams are not read and walks hang, a read, a write, a page of
// events and the health check are still answered.
func TestStarvation(t *testing.T) {
	store := &hangingWalks{begun: make(chan struct{}, 100)}
	server, _ := serveWith(t, Options{EventStreams: 500, StreamWrite: time.Hour}, func(inner graphstore.Store) graphstore.Store {
		store.Store = inner
		return store
	})
	writeLarge(t, server)
	for range 500 {
		deaf(t, server, false)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var walks sync.WaitGroup
	for range 2 * limits.Walks {
		walks.Go(func() {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/lineage/"+call.ExampleTable, nil)
			if err != nil {
				t.Error(err)
				return
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				return // the walk hung until the end of the test
			}
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
				t.Errorf("a walk that found no room is answered with %d", resp.StatusCode)
			}
		})
	}
	for range limits.Walks {
		<-store.begun
	}
	for _, target := range []string{"/health/ready", "/entities/" + call.ExampleTable, "/events?limit=1"} {
		if status, body, _ := request(t, server, "GET", target, ""); status != http.StatusOK {
			t.Errorf("%s: %d %s", target, status, body)
		}
	}
	if status, body, _ := request(t, server, "POST", "/aspects?action=ingestProposal", proposalBody("tag", "urn:li:tag:x", "tagProperties", `{"name":"n"}`)); status != http.StatusOK {
		t.Errorf("a write: %d %s", status, body)
	}
	if len(store.begun) > 0 {
		t.Errorf("%d walks more than may ran at once", len(store.begun))
	}
	cancel()
	walks.Wait()
}
