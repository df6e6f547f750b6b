package intake

import (
	"context"
	"sync"
)

// lane is a part of the budget. Unlike the queue of a semaphore, it lets a request that fits
// overtake larger requests that do not. The larger requests keep their memory while they wait, and
// are refused soon if they wait in vain.
type lane struct {
	size int64

	mu      sync.Mutex
	held    int64
	waiting []*waiter
}

type waiter struct {
	n     int64
	ready chan struct{}
}

func newLane(size int64) *lane { return &lane{size: size} }

func (l *lane) tryAcquire(n int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held+n > l.size {
		return false
	}
	l.held += n
	return true
}

// acquire waits for n bytes of free memory until the context ends.
func (l *lane) acquire(ctx context.Context, n int64) error {
	l.mu.Lock()
	if l.held+n <= l.size {
		l.held += n
		l.mu.Unlock()
		return nil
	}
	w := &waiter{n, make(chan struct{})}
	l.waiting = append(l.waiting, w)
	l.mu.Unlock()
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.waiting {
		if l.waiting[i] == w {
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			return ctx.Err()
		}
	}
	return nil // release has admitted this request in the meantime
}

// release returns n bytes and admits the waiting requests that now fit, the longest waiting
// first.
func (l *lane) release(n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held -= n
	still := l.waiting[:0]
	for _, w := range l.waiting {
		if l.held+w.n > l.size {
			still = append(still, w)
			continue
		}
		l.held += w.n
		close(w.ready)
	}
	clear(l.waiting[len(still):])
	l.waiting = still
}
