package neo4j

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/graphstore"
)

// TestWhoIsNextIsNotSentAway: when its patience ends, a bulk update whose turn is next
// waits on if turns have ended lately; one behind it is sent away, and both are when
// nothing ends.
func TestWhoIsNextIsNotSentAway(t *testing.T) {
	const patience = 300 * time.Millisecond
	release := make(chan struct{})
	q := newQueue(100, patience, func(t *turn) []*update {
		<-release
		for _, u := range t.updates {
			u.done <- nil
		}
		return nil
	})
	s := &Store{queue: q}
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
		for n >= bulkTransactions && q.waits() == before {
			time.Sleep(time.Millisecond)
		}
	}
	for n := range bulkTransactions {
		bulkUpdate(n, nil)
	}
	for q.runs() < bulkTransactions {
		time.Sleep(time.Millisecond)
	}
	for n := range bulkTransactions { // nothing ends
		bulkUpdate(bulkTransactions+n, graphstore.ErrBusy)
	}
	for q.waits() > 0 {
		time.Sleep(time.Millisecond)
	}
	q.mu.Lock()
	q.ended = time.Now().Add(time.Hour) // as if turns ended all the time
	q.mu.Unlock()
	for n := range bulkTransactions {
		bulkUpdate(10+n, nil)
	}
	bulkUpdate(20, graphstore.ErrBusy)
	for q.waits() > bulkTransactions {
		time.Sleep(time.Millisecond)
	}
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
