package shares

import (
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headwater-io/headwater/internal/testing/testleaks"
)

func TestMain(m *testing.M) { testleaks.Main(m) }

// TestRounds: on a machine with one processor, requests that were read together are worked on one after another,
// so that none of them waits for another of its caller. Still each caller gets one turn in a round.
func TestRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rounds []func()
		s := New(Options{Processors: 1, After: func(f func()) { rounds = append(rounds, f) }, Now: time.Now})
		enterAll(t, s, "busy", 1)[0]()
		enterAll(t, s, "busy", 1)[0]() // alone: at once
		enterAll(t, s, "quiet", 1)[0]()

		var (
			mu    sync.Mutex
			order []string
		)
		request := func(name string) {
			go func() {
				leave, err := s.Enter(t.Context(), name)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, name)
				mu.Unlock()
				leave()
			}()
			synctest.Wait()
		}
		for range 5 {
			request("busy")
		}
		request("quiet")
		for range 5 {
			request("busy")
		}
		if s.Waiting() != 11 || len(order) != 0 || len(rounds) != 1 {
			t.Fatalf("%v were worked on, %d wait, %d rounds were called; want none, 11, 1", order, s.Waiting(), len(rounds))
		}
		for len(rounds) > 0 {
			next := rounds[0]
			rounds = rounds[1:]
			next()
			synctest.Wait()
		}
		if at := slices.Index(order, "quiet"); len(order) != 11 || at > 1 {
			t.Errorf("the turns were %v; the quiet caller must have had one in the first round", order)
		}
		// A caller who has had no turn in this round need not wait for the next one.
		s.mu.Lock()
		s.round++
		s.mu.Unlock()
		enterAll(t, s, "quiet", 1)[0]()
		full(t, s, "quiet")
	})
}

// TestArrivals: functions are run soon, in order, and also those that come when the Arrivals end.
func TestArrivals(t *testing.T) {
	a, err := NewArrivals()
	if err != nil {
		t.Fatal(err)
	}
	var (
		group sync.WaitGroup
		order []int
	)
	for i := range 1000 {
		group.Add(1)
		a.After(func() { order = append(order, i); group.Done() })
	}
	group.Wait()
	if len(order) != 1000 || !slices.IsSorted(order) {
		t.Errorf("%d functions were run, in the order %v", len(order), order)
	}
	late := 0
	a.After(func() { late++ })
	if err := a.Close(t.Context()); err != nil || late != 1 {
		t.Errorf("closing: %v; %d late functions were run", err, late)
	}
	group.Add(1)
	a.After(group.Done)
	group.Wait()
	if err := a.group.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestArrivalsFirst: on one processor, a function runs after the goroutines whose data had arrived before it was
// called, although Go starts what arrived last first. Go makes an exception at every 61st goroutine that it starts, so the
// test may need more than one try.
func TestArrivalsFirst(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	a, err := NewArrivals()
	if err != nil {
		t.Fatal(err)
	}
	const requests = 20
	var before int32
	for range 20 {
		if before = ranBefore(t, a, requests); before == requests {
			break
		}
	}
	if before != requests {
		t.Errorf("the function ran after %d of %d requests that had arrived", before, requests)
	}
	if err := a.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// ranBefore returns how many goroutines, whose data arrives before a function is called, run before the function.
func ranBefore(t *testing.T, a *Arrivals, requests int) (before int32) {
	t.Helper()
	var (
		group   sync.WaitGroup
		arrived atomic.Int32
		pipes   []*os.File
	)
	for range requests {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer read.Close()
		defer write.Close()
		pipes = append(pipes, write)
		group.Go(func() {
			if _, err := read.Read(make([]byte, 1)); err != nil {
				t.Error(err)
			}
			arrived.Add(1)
		})
	}
	for range 10 * requests { // all goroutines begin to wait for data
		runtime.Gosched()
	}
	for _, write := range pipes {
		if _, err := write.Write([]byte{0}); err != nil {
			t.Fatal(err)
		}
	}
	group.Add(1)
	a.After(func() { before = arrived.Load(); group.Done() })
	group.Wait()
	return before
}
