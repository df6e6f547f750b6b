package embedded

import (
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

// TestCallerWrites: an update that finds nobody writing runs in its caller's goroutine,
// and what came meanwhile is written after it, without another caller.
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
		for waiting := 0; waiting < others; runtime.Gosched() {
			s.writer.queue.mu.Lock()
			waiting = s.writer.queue.waiting.Len()
			s.writer.queue.mu.Unlock()
		}
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

// goroutine names the goroutine that calls it, as in a stack: "goroutine 7 ".
func goroutine() string {
	stack := make([]byte, 64)
	name, _, _ := strings.Cut(string(stack[:runtime.Stack(stack, false)]), "[")
	return name
}
