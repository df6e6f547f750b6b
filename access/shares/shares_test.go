package shares

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testseed"
)

// enterAll enters n requests of a caller, each of which must be worked on at once.
func enterAll(t *testing.T, s *Shares, caller string, n int) (leave []func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // a request that has to wait fails
	for i := range n {
		out, err := s.Enter(ctx, caller)
		if err != nil {
			t.Fatalf("request %d of %s: %v", i, caller, err)
		}
		leave = append(leave, out)
	}
	return leave
}

// full checks that one more request of a caller has to wait.
func full(t *testing.T, s *Shares, caller string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Enter(ctx, caller); catalog.CodeOf(err) != catalog.Unavailable || !errors.Is(err, context.Canceled) {
		t.Fatalf("one more request of %s: %v, want it to wait", caller, err)
	}
}

// pass lets time pass in a bubble of synctest.
func pass(d time.Duration) { <-time.After(d) }

func TestShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{Requests: 10, Processors: 6, Now: time.Now})
		busy := enterAll(t, s, "busy", 10)
		full(t, s, "busy")

		innocent := enterAll(t, s, "innocent", 3) // half of six
		full(t, s, "innocent")
		for i := range 7 {
			busy[i]()
			full(t, s, "busy") // the caller has its share or more
		}
		busy[7]()
		enterAll(t, s, "busy", 1)

		enterAll(t, s, "third", 2)
		full(t, s, "third")
		for _, leave := range innocent {
			leave()
		}
		full(t, s, "busy") // the innocent caller was active a moment ago
		pass(active)
		full(t, s, "busy") // the third still has requests
	})
}

func TestMoreCallersThanPlaces(t *testing.T) {
	s := New(Options{Processors: 1, Now: time.Now})
	for _, caller := range strings.Split("abcdefgh", "") {
		enterAll(t, s, caller, 1)
	}
	full(t, s, "a")
	full(t, s, "h")
}

// TestOldRequests: a caller whose requests take long can still make short ones, but not any number
// of long ones.
func TestOldRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{Processors: 2, Now: time.Now})
		enterAll(t, s, "other", 1)
		for range 1 + spare {
			enterAll(t, s, "walker", 1)
			full(t, s, "walker")
			pass(old)
		}
		full(t, s, "walker")

		enterAll(t, s, "reader", 1)
		start := time.Now()
		leave, err := s.Enter(t.Context(), "reader")
		if took := time.Since(start); err != nil || took != old {
			t.Fatalf("the second request of a caller, whose first takes long, waited %s: %v", took, err)
		}
		leave()
	})
}

func TestAloneAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{Requests: 10, Processors: 1, Now: time.Now})
		enterAll(t, s, "gone", 1)[0]()
		enterAll(t, s, "busy", 1)
		full(t, s, "busy")
		pass(active)
		enterAll(t, s, "busy", 9)
		full(t, s, "busy")
		pass(3 * time.Second)
		enterAll(t, s, "other", 1)
		if _, known := s.callers["gone"]; known {
			t.Error("a caller who is not active is remembered")
		}
	})
}

func TestTurnsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{Requests: 1, Now: time.Now})
		leave := enterAll(t, s, "a", 1)[0]
		var order []int
		for i := range 5 {
			go func() {
				leave, err := s.Enter(t.Context(), "a")
				if err != nil {
					t.Error(err)
					return
				}
				order = append(order, i)
				leave()
			}()
			synctest.Wait()
		}
		if s.Waiting() != 5 {
			t.Fatalf("%d wait, want 5", s.Waiting())
		}
		leave()
		synctest.Wait()
		for i, got := range order {
			if got != i {
				t.Fatalf("the turns came in the order %v", order)
			}
		}
		if len(order) != 5 || s.Waiting() != 0 {
			t.Fatalf("%d turns came, %d wait", len(order), s.Waiting())
		}
	})
}

func TestRefusals(t *testing.T) {
	// wait has requests of a caller wait until the test ends, and ends the first of them.
	wait := func(t *testing.T, s *Shares, caller string, n int) context.CancelFunc {
		ctx, cancel := context.WithCancel(t.Context())
		enterAll(t, s, caller, 1)
		for range n {
			go func() {
				if leave, err := s.Enter(ctx, caller); err == nil {
					leave()
				}
			}()
		}
		synctest.Wait()
		return cancel
	}
	for name, c := range map[string]struct {
		options Options
		refused func(t *testing.T, s *Shares) error
		want    catalog.Code
		after   time.Duration
	}{
		"waiting of a caller": {Options{Requests: 1}, func(t *testing.T, s *Shares) error {
			defer wait(t, s, "a", limits.MaxCallerWaiting)()
			_, err := s.Enter(t.Context(), "a")
			return err
		}, catalog.Throttled, time.Second},
		"waiting of all callers": {Options{Requests: 1}, func(t *testing.T, s *Shares) error {
			for i := range limits.MaxCallersWaiting / limits.MaxCallerWaiting {
				defer wait(t, s, string(rune('a'+i)), limits.MaxCallerWaiting)()
			}
			enterAll(t, s, "new", 1)
			_, err := s.Enter(t.Context(), "new")
			return err
		}, catalog.Busy, time.Second},
		"a turn that does not come": {Options{Requests: 1}, func(t *testing.T, s *Shares) error {
			enterAll(t, s, "a", 1)
			_, err := s.Enter(t.Context(), "a")
			return err
		}, catalog.Throttled, time.Second},
		"rate": {Options{Rate: 10, Requests: 1000}, func(t *testing.T, s *Shares) error {
			enterAll(t, s, "a", 10)
			for range 10 * int(limits.CallerWait/time.Second) {
				go s.Enter(t.Context(), "a") //nolint:errcheck // it waits for the rate
			}
			synctest.Wait()
			_, err := s.Enter(t.Context(), "a")
			return err
		}, catalog.Throttled, time.Second},
		"long requests": {Options{}, func(t *testing.T, s *Shares) error {
			for range limits.MaxCallerLong {
				if _, err := s.EnterLong(t.Context(), "a"); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.EnterLong(t.Context(), "b"); err != nil {
				t.Fatal(err)
			}
			_, err := s.EnterLong(t.Context(), "a")
			return err
		}, catalog.Throttled, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.options.Now = time.Now
				s := New(c.options)
				err := c.refused(t, s)
				if catalog.CodeOf(err) != c.want {
					t.Fatalf("refused with %v, want the code %s", err, c.want)
				}
				var waits *catalog.WaitError
				if c.want == catalog.Throttled && (!errors.As(err, &waits) || waits.Wait < c.after) {
					t.Errorf("the refusal %v does not say how long to wait", err)
				}
				if s.Refused() != 1 {
					t.Errorf("%d refusals are counted", s.Refused())
				}
			})
		})
	}
}

func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{Rate: 100, Requests: 1, Now: time.Now})
		start := time.Now()
		for range 300 {
			leave, err := s.Enter(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			leave()
		}
		if took := time.Since(start); took < 1900*time.Millisecond || took > 2100*time.Millisecond {
			t.Errorf("300 requests took %s with 100 a second and 100 at once", took)
		}
		leave, err := s.Enter(t.Context(), "b")
		if err != nil {
			t.Fatal(err)
		}
		leave()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := s.Enter(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a request whose caller has gone waits for the rate: %v", err)
		}
	})
}

// TestMany lets many requests enter, wait, give up and leave at random. At the end no request is worked on or
// waits, and no caller ever had more than its share.
func TestMany(t *testing.T) {
	s := New(Options{Requests: 8, Processors: 2, Now: time.Now})
	seed := testseed.Of(t)
	var group sync.WaitGroup
	working := map[string]*atomic.Int64{"a": {}, "b": {}, "c": {}}
	for name, count := range working {
		for i := range 20 {
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			group.Go(func() {
				for range 200 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(300))*time.Microsecond)
					leave, err := s.Enter(ctx, name)
					if err == nil {
						if n := count.Add(1); n > 8 {
							t.Errorf("%d requests of %s are worked on", n, name)
						}
						<-ctx.Done()
						count.Add(-1)
						leave()
					}
					cancel()
				}
			})
		}
	}
	group.Wait()
	for name, c := range s.callers {
		if len(c.working) != 0 || len(c.line) != 0 {
			t.Errorf("%s: %d are worked on, %d wait", name, len(c.working), len(c.line))
		}
	}
	if s.Waiting() != 0 {
		t.Errorf("%d wait", s.Waiting())
	}
	enterAll(t, s, "a", 1)
}
