package embedded

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headwater-io/headwater/graphstore"
)

// TestCallerWrites: an update that finds the turn free runs in the goroutine of its caller.
// Updates that arrive meanwhile are written after that update, without a further call of
// Update.
func TestCallerWrites(t *testing.T) {
	s, err := Open(t.Context(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const others = 5
	var group sync.WaitGroup
	own := goroutine()
	err = s.Update(t.Context(), nil, func(graphstore.Tx) error {
		if in := goroutine(); in != own {
			t.Errorf("the update runs in %s, not in %s", in, own)
		}
		for i := range others {
			group.Go(func() {
				if seq, err := putNext(s, cachedURN(i), nil); err != nil || seq != 1 {
					t.Errorf("an update that waited wrote version %d: %v", seq, err)
				}
			})
		}
		awaitQueued(s, others)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	group.Wait()
	for i := range others {
		wantLatest(t, s, "after waiting", cachedURN(i), 1)
	}
}

// TestTimeOfEach: an update has the time at which it ran, and not that of an earlier update in
// the same commit.
func TestTimeOfEach(t *testing.T) {
	var now atomic.Int64
	s, err := Open(t.Context(), Options{Dir: t.TempDir(), Now: func() time.Time { return time.UnixMilli(now.Load()) }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	now.Store(1000)
	var second sync.WaitGroup
	err = s.Update(t.Context(), nil, func(tx graphstore.Tx) error {
		now.Store(2000)
		second.Go(func() {
			err := s.Update(t.Context(), nil, func(tx graphstore.Tx) error {
				if tx.Now() != 2000 {
					t.Errorf("the time of the second update is %d", tx.Now())
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
		awaitQueued(s, 1)
		if tx.Now() != 1000 {
			t.Errorf("the time of the first update is %d", tx.Now())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	second.Wait()
}

// awaitQueued waits until n updates are queued.
func awaitQueued(s *Store, n int) {
	for waiting := 0; waiting < n; runtime.Gosched() {
		s.writer.queue.mu.Lock()
		waiting = s.writer.queue.waiting.Len()
		s.writer.queue.mu.Unlock()
	}
}

// goroutine returns the name of its caller's goroutine as a stack shows it: "goroutine 7 ".
func goroutine() string {
	stack := make([]byte, 64)
	name, _, _ := strings.Cut(string(stack[:runtime.Stack(stack, false)]), "[")
	return name
}
