package neo4j

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// TestWhoIsNextIsNotSentAway: a bulk update whose turn is next waits on at the end of its
// patience, if turns have recently ended. An update behind it is sent away. If no turns end,
// both are sent away.
func TestWhoIsNextIsNotSentAway(t *testing.T) {
	const patience = 300 * time.Millisecond
	release := make(chan struct{})
	q := newQueue(100, patience, func(t *turn) []*update {
		<-release
		for _, u := range t.updates {
			u.done <- nil
		}
		return nil
	}, slog.New(slog.DiscardHandler))
	planned := make(chan struct{})
	close(planned)
	s := &Store{queue: q, warmed: planned}
	var group sync.WaitGroup
	bulkUpdate := func(n int, want error) {
		urns := make([]string, bulkEntities+1)
		for i := range urns {
			urns[i] = fmt.Sprint(n, "-", i)
		}
		before := q.waits()
		group.Go(func() {
			if err := s.Update(context.Background(), urns, nil); !errors.Is(err, want) {
				t.Errorf("bulk update %d: %v, want %v", n, err, want)
			}
		})
		testclock.Await(t, "the update waits", func() bool { return n < bulkTransactions || q.waits() != before })
	}
	for n := range bulkTransactions {
		bulkUpdate(n, nil)
	}
	testclock.Await(t, "the updates run", func() bool { return q.runs() >= bulkTransactions })
	for n := range bulkTransactions { // no turn ends
		bulkUpdate(bulkTransactions+n, graphstore.ErrBusy)
	}
	testclock.Await(t, "no update waits", func() bool { return q.waits() == 0 })
	q.mu.Lock()
	q.ended = time.Now().Add(time.Hour) // the queue sees a turn that has just ended
	q.mu.Unlock()
	for n := range bulkTransactions {
		bulkUpdate(10+n, nil)
	}
	bulkUpdate(20, graphstore.ErrBusy)
	testclock.Await(t, "the last update is refused", func() bool { return q.waits() <= bulkTransactions })
	close(release)
	group.Wait()
}

func (q *queue) waits() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting.Len()
}

func (q *queue) runs() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running[bulk]
}

// TestPanicInTurn: the updates of a turn that panics fail. Other updates of the same entities
// have their turns afterwards.
func TestPanicInTurn(t *testing.T) {
	broken := true
	q := newQueue(100, time.Minute, func(t *turn) []*update {
		if broken {
			broken = false
			panic("no turn")
		}
		for _, u := range t.updates {
			u.done <- nil
		}
		return nil
	}, slog.New(slog.DiscardHandler))
	s := &Store{queue: q}
	var caught *safely.PanicError
	if err := s.Update(t.Context(), []string{"a"}, nil); !errors.As(err, &caught) {
		t.Errorf("an update whose turn panicked: %v", err)
	}
	if err := s.Update(t.Context(), []string{"a"}, nil); err != nil {
		t.Errorf("the next update: %v", err)
	}
}

// TestQueueCloses: when the queue is closed, waiting updates are refused, and the close waits
// for running updates. An update that needs another turn does not get another turn.
func TestQueueCloses(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	q := newQueue(100, time.Minute, func(t *turn) []*update {
		close(begun)
		<-release
		return t.updates
	}, slog.New(slog.DiscardHandler))
	s := &Store{queue: q}
	ended := make(chan error, 3)
	update := func() { ended <- s.Update(context.Background(), []string{"a"}, nil) }
	go update()
	<-begun
	go update() // this update waits for the same entity
	testclock.Await(t, "the other update waits", func() bool { return q.waits() > 0 })
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := q.close(over); err == nil || !strings.Contains(err.Error(), "a turn still running") {
		t.Errorf("closing without patience: %v", err)
	}
	if err := <-ended; !errors.Is(err, graphstore.ErrClosed) {
		t.Errorf("the update that waited: %v", err)
	}
	close(release)
	if err := q.close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, graphstore.ErrClosed) {
		t.Errorf("the update that needed another turn: %v", err)
	}
	update()
	if err := <-ended; !errors.Is(err, graphstore.ErrClosed) {
		t.Errorf("an update after the end: %v", err)
	}
}
