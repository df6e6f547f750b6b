package turns_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/turns"
)

func take(t *testing.T, all *turns.Turns, mode turns.Mode, names ...string) (end func()) {
	t.Helper()
	end, err := all.Take(context.Background(), mode, names...)
	if err != nil {
		t.Fatal(err)
	}
	return end
}

// line starts n goroutines that wait for a turn on a name, in order.
func line(t *testing.T, all *turns.Turns, n int, mode turns.Mode, name string, come func(int)) *sync.WaitGroup {
	t.Helper()
	var group sync.WaitGroup
	for i := range n {
		before := all.Waiting()
		group.Go(func() {
			end, err := all.Take(context.Background(), mode, name)
			if err != nil {
				t.Error(err)
				return
			}
			come(i)
			end()
		})
		for all.Waiting() == before {
			runtime.Gosched()
		}
	}
	return &group
}

// TestOrder: turns come in the order of the requests.
func TestOrder(t *testing.T) {
	all := turns.New(0, 0)
	end := take(t, all, turns.Alone, "a")
	var order []int // written during exclusive turns, so without a lock
	group := line(t, all, 50, turns.Alone, "a", func(i int) { order = append(order, i) })
	end()
	group.Wait()
	for i, n := range order {
		if i != n {
			t.Fatalf("turns came in the order %v", order)
		}
	}
	if len(order) != 50 {
		t.Errorf("%d turns", len(order))
	}
}

// TestAloneIsNotOvertaken: shared turns do not overtake an exclusive one that was requested
// before them.
func TestAloneIsNotOvertaken(t *testing.T) {
	all := turns.New(0, 0)
	first, second := take(t, all, turns.Shared, "a"), take(t, all, turns.Shared, "a")
	var alone atomic.Bool
	waiting := line(t, all, 1, turns.Alone, "a", func(int) { alone.Store(true) })
	behind := line(t, all, 1, turns.Shared, "a", func(int) {
		if !alone.Load() {
			t.Error("a shared turn overtook one alone")
		}
	})
	first()
	second()
	waiting.Wait()
	behind.Wait()
}

// TestSets: requests for sets of names in any order do not deadlock, and an exclusive turn
// excludes all others.
func TestSets(t *testing.T) {
	all := turns.New(0, 0)
	var holders [5]atomic.Int64
	var group sync.WaitGroup
	for g := range 16 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(g)))
			for range 300 {
				var names []string
				picked := random.Perm(5)[:1+random.IntN(4)]
				for _, p := range picked {
					names = append(names, fmt.Sprint(p))
				}
				mode := turns.Mode(random.IntN(2))
				end, err := all.Take(context.Background(), mode, append(names, names[0])...)
				if err != nil {
					t.Error(err)
					return
				}
				for _, p := range picked {
					if n := holders[p].Add(1); n > 1 && mode == turns.Alone {
						t.Errorf("%d have a name that one has alone", n)
					}
				}
				for _, p := range picked {
					holders[p].Add(-1)
				}
				end()
			}
		})
	}
	group.Wait()
	if n := all.Waiting(); n != 0 {
		t.Errorf("%d still wait", n)
	}
}

// TestWhoLeaves: a goroutine whose context ends leaves the line, gives back the turns that it
// already has, and does not delay the goroutines behind it.
func TestWhoLeaves(t *testing.T) {
	all := turns.New(0, 0)
	end := take(t, all, turns.Alone, "b")
	ctx, cancel := context.WithCancel(context.Background())
	left := make(chan error)
	go func() {
		_, err := all.Take(ctx, turns.Alone, "a", "b")
		left <- err
	}()
	for all.Waiting() == 0 {
		runtime.Gosched()
	}
	behind := line(t, all, 1, turns.Alone, "b", func(int) {})
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("who left got %v", err)
	}
	take(t, all, turns.Alone, "a")() // the goroutine has given back its turn on a
	end()
	behind.Wait()
}

func TestBounds(t *testing.T) {
	all := turns.New(1, 0)
	end := take(t, all, turns.Alone, "a")
	behind := line(t, all, 1, turns.Alone, "a", func(int) {})
	if _, err := all.Take(context.Background(), turns.Alone, "a"); !errors.Is(err, turns.ErrBusy) {
		t.Errorf("a line that is full: %v", err)
	}
	take(t, all, turns.Alone, "b")() // no turn waits for b
	end()
	behind.Wait()

	all = turns.New(0, time.Millisecond)
	end = take(t, all, turns.Alone, "a")
	if _, err := all.Take(context.Background(), turns.Alone, "a"); !errors.Is(err, turns.ErrBusy) {
		t.Errorf("a turn that does not come: %v", err)
	}
	end()
	take(t, all, turns.Alone, "a")()
}
