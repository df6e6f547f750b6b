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

// line lets n goroutines wait for a name, one after the other.
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

// TestOrder: turns come in the order in which they were asked for.
func TestOrder(t *testing.T) {
	all := turns.New(0, 0)
	end := take(t, all, turns.Alone, "a")
	var order []int // by those who have the turn, alone
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

// TestAloneIsNotOvertaken: those who share do not keep out who came before.
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

// TestSets: sets of names in any order do not deadlock, and those who have a
// name alone have it alone.
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

// TestWhoLeaves: one whose context ends leaves the line, gives back what it
// had already, and does not hold up those behind it.
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
	take(t, all, turns.Alone, "a")() // given back
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
	take(t, all, turns.Alone, "b")() // other names have no line
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
