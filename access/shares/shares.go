// Package shares gives each caller a fair share of the server, so that a caller at full speed does not slow
// the others. It decides which waiting request is worked on next, not whether its caller may make it.
package shares

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
)

// active is how long a caller counts as one who shares the server after its last request. A caller
// who makes one request after another is protected between them too.
const active = 500 * time.Millisecond

// Requests that are worked on for longer than old do not count in the share of their caller, so that a long
// walk does not keep the caller's short requests waiting. A caller may have spare such requests beyond its
// share.
const (
	old   = time.Second
	spare = 3
)

// Options configure Shares.
type Options struct {
	// Rate is how many requests a caller may make in a second; 0 means no limit.
	Rate int
	// Requests is how many requests of a caller are worked on at the same time while no other
	// caller is active; 0 means [limits.DefaultCallerRequests].
	Requests int
	// Processors is how many processors the server may use; 0 means GOMAXPROCS.
	Processors int
	// After runs a function soon, after the requests that have arrived by then were noticed ([Arrivals.After]);
	// nil means at once.
	After func(func())
	Now   func() time.Time
}

// Shares are the shares of all callers of one server. Shares is safe for concurrent use.
type Shares struct {
	Options

	refused atomic.Int64

	mu      sync.Mutex
	callers map[string]*caller
	waiting int
	// cleaned is when callers were last forgotten that are not active.
	cleaned time.Time
	// counted is when active callers were last counted, and sharing their number.
	counted time.Time
	sharing int
	// round counts the rounds, from 1 on. called is true while the next one is about to begin.
	round  int
	called bool
}

// caller is one caller who has requests, or had some a moment ago.
type caller struct {
	// working has the requests that are worked on, the oldest first. long is the number of requests without a
	// time limit.
	working []*request
	long    int
	// line has the requests that wait, in order.
	line []*turn
	pace *rate.Limiter
	last time.Time
	// round is the last round in which a request of the caller began.
	round int
}

// request is a request that is worked on.
type request struct{ began time.Time }

// turn is a request that waits. When its turn has come, request is set, and come is closed.
type turn struct {
	come    chan struct{}
	request *request
}

// New makes Shares.
func New(o Options) *Shares {
	if o.Requests == 0 {
		o.Requests = limits.DefaultCallerRequests
	}
	if o.Processors == 0 {
		o.Processors = runtime.GOMAXPROCS(0)
	}
	return &Shares{Options: o, callers: map[string]*caller{}, round: 1}
}

// Enter waits for the turn of a request, and returns the function that ends the request. It fails
// with [catalog.Throttled] if the caller has too many requests, with [catalog.Busy] if all callers
// together have, and with the error of the context. The errors say how long to wait.
func (s *Shares) Enter(ctx context.Context, name string) (leave func(), err error) {
	if err := s.paced(ctx, name); err != nil {
		return nil, err
	}
	c, r, waits, err := s.enter(name)
	if err != nil {
		return nil, err
	}
	if waits != nil {
		if err := s.wait(ctx, c, waits); err != nil {
			return nil, err
		}
		r = waits.request
	}
	return func() { s.leave(c, r) }, nil
}

// wait returns when the turn of a request has come.
func (s *Shares) wait(ctx context.Context, c *caller, t *turn) (err error) {
	patience, ticker := time.NewTimer(limits.CallerWait), time.NewTicker(old)
	defer patience.Stop()
	defer ticker.Stop()
	for err == nil {
		select {
		case <-t.come:
			return nil
		case <-ticker.C: // requests that are worked on may have become old
			s.mu.Lock()
			s.begin(c)
			s.mu.Unlock()
		case <-ctx.Done():
			err = catalog.StoreFailure(context.Cause(ctx))
		case <-patience.C:
			err = s.tooMany(time.Second, "your earlier requests are still worked on; a request waits %s for its turn", limits.CallerWait)
		}
	}
	s.giveUp(c, t)
	return err
}

// EnterLong begins a request without a time limit, and returns the function that ends it. Such
// requests do not count among those of [Shares.Enter]. EnterLong fails with [catalog.Throttled] if the
// caller has too many such requests.
func (s *Shares) EnterLong(ctx context.Context, name string) (leave func(), err error) {
	if err := s.paced(ctx, name); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.callerOf(name)
	if c.long >= limits.MaxCallerLong {
		return nil, s.tooMany(time.Second, "you have %d streams and other long requests, the limit", limits.MaxCallerLong)
	}
	c.long++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		c.long--
	}, nil
}

// paced waits until the rate of the caller permits one more request.
func (s *Shares) paced(ctx context.Context, name string) error {
	if s.Rate == 0 {
		return nil
	}
	now := s.Now()
	s.mu.Lock()
	c := s.callerOf(name)
	permit := c.pace.ReserveN(now, 1)
	s.mu.Unlock()
	wait := permit.DelayFrom(now)
	if wait == 0 {
		return nil
	}
	if wait > limits.CallerWait {
		permit.CancelAt(now)
		return s.tooMany(wait-limits.CallerWait, "you make more than %d requests a second, the limit (--caller-rate)", s.Rate)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		permit.CancelAt(s.Now())
		return catalog.StoreFailure(context.Cause(ctx))
	}
}

// enter begins a request, or puts it in the line of its caller and returns its place.
func (s *Shares) enter(name string) (*caller, *request, *turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.callerOf(name)
	switch {
	case len(c.line) == 0 && s.admits(c) && !(c.round == s.round && s.inRounds()):
		return c, s.work(c), nil, nil
	case len(c.line) >= limits.MaxCallerWaiting:
		return nil, nil, nil, s.tooMany(time.Second, "%d of your requests wait, the limit", limits.MaxCallerWaiting)
	case s.waiting >= limits.MaxCallersWaiting:
		s.refused.Add(1)
		return nil, nil, nil, catalog.Errorf(catalog.Busy, "%d requests wait, the limit", limits.MaxCallersWaiting)
	}
	s.waiting++
	waits := &turn{come: make(chan struct{})}
	c.line = append(c.line, waits)
	if s.admits(c) { // the caller waits only for the next round
		s.callRound()
	}
	return c, nil, waits, nil
}

// callerOf returns the state of a caller, who is active from now on.
func (s *Shares) callerOf(name string) *caller {
	now := s.Now()
	s.forget(now)
	c, known := s.callers[name]
	if !known {
		c = &caller{pace: rate.NewLimiter(rate.Limit(s.Rate), s.Rate)}
		s.callers[name] = c
	}
	if now.Sub(c.last) >= active {
		s.counted = time.Time{} // one more caller is active
	}
	c.last = now
	return c
}

// forget removes callers who have not been active for so long that their rate is full again.
func (s *Shares) forget(now time.Time) {
	if now.Sub(s.cleaned) < time.Second {
		return
	}
	s.cleaned = now
	for name, c := range s.callers {
		if len(c.working) == 0 && c.long == 0 && len(c.line) == 0 && now.Sub(c.last) > 2*time.Second {
			delete(s.callers, name)
		}
	}
}

// recount is how long the number of active callers is kept while nobody becomes active.
const recount = 20 * time.Millisecond

// share returns how many requests of one caller may be worked on.
func (s *Shares) share() int {
	if now := s.Now(); now.Sub(s.counted) >= recount {
		s.counted, s.sharing = now, 0
		for _, c := range s.callers {
			if len(c.working) > 0 || len(c.line) > 0 || now.Sub(c.last) < active {
				s.sharing++
			}
		}
	}
	if s.sharing <= 1 {
		return s.Requests
	}
	return min(s.Requests, max(1, s.Processors/s.sharing))
}

// admits reports whether one more request of a caller may be worked on.
func (s *Shares) admits(c *caller) bool {
	share, now, young := s.share(), s.Now(), 0
	for i := len(c.working) - 1; i >= 0 && now.Sub(c.working[i].began) < old; i-- {
		young++
	}
	return young < share && len(c.working) < min(s.Requests, share+spare)
}

func (s *Shares) work(c *caller) *request {
	r := &request{began: s.Now()}
	c.working = append(c.working, r)
	c.round = s.round
	return r
}

func (c *caller) end(r *request) {
	i := slices.Index(c.working, r)
	c.working = slices.Delete(c.working, i, i+1)
}

// leave ends a request, and begins those whose turn has come.
func (s *Shares) leave(c *caller, r *request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.end(r)
	c.last = s.Now()
	if len(c.line) > 0 && s.inRounds() {
		s.callRound()
		return
	}
	s.begin(c)
}

// inRounds reports whether the requests of callers begin in rounds: there are several callers.
func (s *Shares) inRounds() bool {
	s.share()
	return s.After != nil && s.sharing > 1
}

// callRound begins the next round soon.
func (s *Shares) callRound() {
	if s.called {
		return
	}
	s.called = true
	s.After(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.called = false
		s.round++
		for _, c := range s.callers {
			s.begin(c)
		}
	})
}

// begin begins requests that wait in the line of a caller, as many as its share permits.
func (s *Shares) begin(c *caller) {
	for len(c.line) > 0 && s.admits(c) {
		c.line[0].request = s.work(c)
		close(c.line[0].come)
		c.line = c.line[1:]
		s.waiting--
	}
}

// giveUp removes a request that does not wait any longer. If its turn has come at the same moment,
// the turn is passed on.
func (s *Shares) giveUp(c *caller, t *turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	place := slices.Index(c.line, t)
	if place < 0 {
		c.end(t.request)
		s.begin(c)
		return
	}
	c.line = slices.Delete(c.line, place, place+1)
	s.waiting--
}

// tooMany is the refusal of a caller who has too many requests.
func (s *Shares) tooMany(wait time.Duration, format string, args ...any) error {
	s.refused.Add(1)
	refusal := catalog.Errorf(catalog.Throttled, format, args...)
	refusal.Err = &catalog.WaitError{Wait: wait.Truncate(time.Second) + time.Second}
	return refusal
}

// Waiting returns how many requests wait for their turn.
func (s *Shares) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting
}

// Refused returns how many requests were refused.
func (s *Shares) Refused() int64 { return s.refused.Load() }
