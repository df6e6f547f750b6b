// Package broadcast wakes goroutines that wait for something to happen.
package broadcast

import (
	"sync"
	"sync/atomic"
)

// Broadcast wakes every goroutine that waits for the next write.
type Broadcast struct {
	mu   sync.Mutex
	next chan struct{}
	// count counts the signals.
	count atomic.Uint64
}

// Wait returns a channel that is closed by the next signal.
func (b *Broadcast) Wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

// Count returns how many signals there were.
func (b *Broadcast) Count() uint64 { return b.count.Load() }

// Signal wakes everybody who waits.
func (b *Broadcast) Signal() {
	b.count.Add(1) // before waiters wake, because they compare it
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}
