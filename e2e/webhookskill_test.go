package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// hookReceiver is a receiver that records its requests. It answers a request only when the
// test tells it to.
type hookReceiver struct {
	*httptest.Server
	t        *testing.T
	mu       sync.Mutex
	arrived  told
	requests chan struct{}
	answers  chan struct{}
	freed    chan struct{}
	free     func()
}

func newHookReceiver(t *testing.T) *hookReceiver {
	t.Helper()
	r := &hookReceiver{t: t, arrived: told{}, requests: make(chan struct{}), answers: make(chan struct{}), freed: make(chan struct{})}
	r.free = sync.OnceFunc(func() { close(r.freed) })
	r.Server = httptest.NewServer(r)
	t.Cleanup(func() { r.free(); r.Close() })
	return r
}

func (r *hookReceiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var body struct {
		Data []struct {
			URN    string          `json:"entityUrn"`
			Kind   string          `json:"changeType"`
			Aspect string          `json:"aspectName"`
			Value  json.RawMessage `json:"aspect"`
		} `json:"data"`
	}
	if err := json.NewDecoder(req.Body).Decode(&body); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	for _, e := range body.Data {
		r.arrived[e.URN] = append(r.arrived[e.URN], identity(e.Kind, e.Aspect, e.Value))
	}
	r.mu.Unlock()
	select {
	case r.requests <- struct{}{}:
	case <-r.freed:
		return
	}
	select {
	case <-r.answers:
	case <-r.freed:
	}
}

// await waits for a request. The request then waits for its answer.
func (r *hookReceiver) await() {
	r.t.Helper()
	select {
	case <-r.requests:
	case <-time.After(time.Minute):
		r.t.Fatal("no request came")
	}
}

func (r *hookReceiver) answer() { r.answers <- struct{}{} }

// TestWebhooksKeepOrder: a server is killed while a receiver handles a request and many events wait
// behind it. It must deliver every event, and the events of each entity in order.
func TestWebhooksKeepOrder(t *testing.T) {
	for i, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			if i > 0 && testsize.Of(0, 1) == 0 {
				t.Skip("make soak runs it")
			}
			const entities, kills = 60, 3
			r := newHookReceiver(t)
			flags := append(b.flags(t), "--webhook-private", "--platforms=false")
			s := start(t, flags...)
			if status, answer := s.send(http.MethodPost, "/webhooks", `{"id":"order","url":"`+r.URL+`","enabled":false}`); status != http.StatusCreated {
				t.Fatal(status, answer)
			}
			s.writeHistory(entities, 0, historyRounds)
			if status, answer := s.send(http.MethodPatch, "/webhooks/order", `{"enabled":true}`); status != http.StatusOK {
				t.Fatal(status, answer)
			}
			for kill := range kills {
				for range kill {
					r.await()
					r.answer()
				}
				r.await()
				s.kill()
				r.answer()
				s = start(t, flags...)
			}
			r.free()
			s.awaitFollower("webhook/order")
			log := s.logged()
			s.stop()
			r.Close()
			r.arrived.wantRepeated(t, "events", log, kills)
		})
	}
}
