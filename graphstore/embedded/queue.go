package embedded

import (
	"container/list"
	"fmt"
	"sync"

	"github.com/headwater-io/headwater/graphstore"
)

// queue has the updates that wait for the writer, in the order of their arrival. Its length is
// bounded. A caller that stops waiting leaves the queue at once.
// The reasons are in docs/decisions/0026-writer-queue.md.
type queue struct {
	length int
	// filled has a token if the goroutine of the writer has work.
	filled chan struct{}

	mu      sync.Mutex
	waiting list.List // of *update
	closed  bool
}

func newQueue(length int) *queue { return &queue{length: length, filled: make(chan struct{}, 1)} }

// enter appends an update.
func (q *queue) enter(u *update) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return graphstore.ErrClosed
	case q.waiting.Len() >= q.length:
		return fmt.Errorf("%d updates are already waiting for the writer: %w", q.length, graphstore.ErrBusy)
	}
	u.place = q.waiting.PushBack(u)
	return nil
}

// waits reports whether any updates are waiting.
func (q *queue) waits() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting.Len() > 0
}

// tell leaves a token for the goroutine of the writer.
func (q *queue) tell() {
	select {
	case q.filled <- struct{}{}:
	default:
	}
}

// next removes and returns the first update, whose turn begins now. next returns nil if no
// update is waiting.
func (q *queue) next() *update {
	q.mu.Lock()
	defer q.mu.Unlock()
	front := q.waiting.Front()
	if front == nil {
		return nil
	}
	u, _ := q.waiting.Remove(front).(*update)
	u.place = nil
	return u
}

// leave removes an update from the queue. leave returns false if the turn of the update has
// begun.
func (q *queue) leave(u *update) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if u.place == nil {
		return false
	}
	q.waiting.Remove(u.place)
	u.place = nil
	return true
}

// close makes the queue refuse further updates. Waiting updates keep their turns.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
}
