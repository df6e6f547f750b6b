package webhooks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/catalog/webhooks"
	"github.com/headwater-io/headwater/internal/hooksend"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// quick repeats attempts almost at once.
var quick = webhooks.Retry{First: time.Millisecond, Most: 20 * time.Millisecond, Attempts: 1000, Age: time.Hour}

// server is one of several servers over the same store.
type server struct {
	*webhooks.Service
	catalog *services.Services
	stop    func()
}

// serve runs webhooks over the store of the harness until the test ends, or stop is called.
func serve(h *catalogtest.Harness, retry webhooks.Retry) *server {
	h.T.Helper()
	c := services.New(services.Options{Store: h.Store, Now: testclock.Now})
	h.Services = c // with the server's own services, the server notices writes of the test at once
	logger := slog.New(slog.DiscardHandler)
	followers := delivery.New(delivery.Options{Log: c.Log, Store: h.Store, Records: records.New(h.Store), Logger: logger, Now: testclock.Now, Lease: 5 * time.Second, SaveEvery: catalogtest.SaveFollowers})
	s := &server{catalog: c, Service: webhooks.New(webhooks.Options{
		Log: c.Log, Records: records.New(h.Store), Followers: followers, Streams: c.Streams, Now: testclock.Now, Logger: logger,
		Sender: hooksend.New(hooksend.Options{Private: true, Timeout: 100 * time.Millisecond}), Retry: retry, Poll: 20 * time.Millisecond,
	})}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { s.Run(ctx) })
	s.stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
	})
	h.T.Cleanup(s.stop)
	return s
}

// hook makes a webhook with a URL and a filter.
func (s *server) hook(t *testing.T, id, url string, filter streams.Filter) {
	t.Helper()
	given := secret
	if _, err := s.Create(t.Context(), &webhooks.Spec{ID: &id, URL: &url, Secret: &given, Filter: &filter}, catalogtest.Ada); err != nil {
		t.Fatal(err)
	}
}

// message is a request that a receiver received.
type message struct {
	ID   string
	At   time.Time
	Body string
	Type string `json:"type"`
	Data []streams.ChangeEvent
}

// receiver is a receiver of webhooks. The function behave decides how it answers; only requests
// that it answers with success count as accepted.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	behave func(n int) int
	calls  int
	taken  []message
	bodies map[string]string
	faults []string
}

const (
	hang  = -1
	reset = -2
)

func receive(t *testing.T, behave func(n int) int) *receiver {
	t.Helper()
	r := &receiver{behave: behave, bodies: map[string]string{}}
	r.Server = httptest.NewServer(http.HandlerFunc(r.handle))
	t.Cleanup(func() {
		r.CloseClientConnections()
		r.Close()
		for _, fault := range r.faults {
			t.Error(fault)
		}
	})
	return r
}

func (r *receiver) handle(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	m := message{ID: req.Header.Get("webhook-id"), Body: string(body)}
	if at, err := strconv.ParseInt(req.Header.Get("webhook-timestamp"), 10, 64); err == nil {
		m.At = time.Unix(at, 0)
	}
	r.mu.Lock()
	r.calls++
	status := r.behave(r.calls)
	r.check(req, &m)
	if status >= 200 && status <= 299 {
		r.taken = append(r.taken, m)
	}
	r.mu.Unlock()
	switch status {
	case hang:
		<-req.Context().Done()
	case reset:
		c, _, _ := w.(http.Hijacker).Hijack()
		_ = c.(*net.TCPConn).SetLinger(0)
		_ = c.Close()
	default:
		w.WriteHeader(status)
	}
}

// check records the faults of a request: a wrong signature, or another body than before under
// the same id.
func (r *receiver) check(req *http.Request, m *message) {
	at, _ := strconv.ParseInt(req.Header.Get("webhook-timestamp"), 10, 64)
	if want, _ := hooksend.Sign(secret, m.ID, time.Unix(at, 0), []byte(m.Body)); req.Header.Get("webhook-signature") != want || time.Since(time.Unix(at, 0)) > time.Minute {
		r.faults = append(r.faults, "the signature is wrong")
	}
	if before, known := r.bodies[m.ID]; known && before != m.Body {
		r.faults = append(r.faults, fmt.Sprintf("%s has changed:\n%s\n%s", m.ID, before, m.Body))
	}
	r.bodies[m.ID] = m.Body
	if err := json.Unmarshal([]byte(m.Body), m); err != nil {
		r.faults = append(r.faults, err.Error())
	}
}

func (r *receiver) become(behave func(n int) int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.behave = behave
}

func (r *receiver) messages() []message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]message(nil), r.taken...)
}

func (r *receiver) tried() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls
}

// events returns the cursors of accepted events, by entity, in the order in which they were
// first accepted.
func (r *receiver) events() (byEntity map[string][]string, all map[string]int) {
	byEntity, all = map[string][]string{}, map[string]int{}
	for _, m := range r.messages() {
		for i := range m.Data {
			e := &m.Data[i]
			if all[e.Cursor]++; all[e.Cursor] == 1 {
				byEntity[e.EntityURN] = append(byEntity[e.EntityURN], e.Cursor)
			}
		}
	}
	return byEntity, all
}

func always(status int) func(int) int { return func(int) int { return status } }

// table returns the URN of one of several datasets.
func table(n int) string {
	return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,db.t%d,PROD)", n)
}

// write writes n changes of five datasets.
func write(h *catalogtest.Harness, from, n int) {
	for i := from; i < from+n; i++ {
		h.Put("", "UPSERT", table(i%5), "datasetProperties", fmt.Sprintf(`{"description":"%d"}`, i))
	}
}

// logged returns the cursors of the log after the given one, by entity.
func logged(h *catalogtest.Harness, after string) (byEntity map[string][]string, n int) {
	h.T.Helper()
	byEntity = map[string][]string{}
	for {
		changes, next, err := h.Changes(context.Background(), after, catalog.MaxChanges)
		if err != nil {
			h.T.Fatal(err)
		}
		if len(changes) == 0 {
			return byEntity, n
		}
		for i := range changes {
			byEntity[changes[i].URN] = append(byEntity[changes[i].URN], changes[i].Cursor)
			n++
		}
		after = next
	}
}
