package follower

import (
	"context"
	"sync"
	"time"
)

// Unknown is the number of changes that an index lacks when that cannot be told.
const Unknown = -1

// CatchUp waits until the index has everything that was committed before the
// call, at most for a time. It returns how many changes the index still lacks: 0
// if it has what was committed before the call, [Unknown] while the index is
// incomplete or the store does not say. It does not wait for an index that is
// being built or cannot be written.
func (f *Follower) CatchUp(ctx context.Context, atMost time.Duration) int64 {
	if f.broken() != "" {
		return Unknown
	}
	end, err := f.end.get(ctx)
	if err != nil {
		return Unknown
	}
	if f.has(end) {
		return 0
	}
	if atMost > 0 && f.following.Load() {
		waiting, cancel := context.WithTimeout(ctx, atMost)
		_ = f.await(waiting, end, false) // what matters is where the index is then
		cancel()
	}
	switch {
	case f.broken() != "":
		return Unknown
	case f.has(end):
		return 0
	}
	lag, err := f.Lag(ctx)
	if err != nil {
		return Unknown
	}
	return lag
}

// has reports whether the index is whole and has everything up to a position.
func (f *Follower) has(end string) bool {
	if f.broken() != "" {
		return false
	}
	at := f.position()
	covered, err := f.store.Covers(at, end)
	return at != "" && err == nil && covered
}

// endTimeout bounds how long reading the end of the log may take.
const endTimeout = 10 * time.Second

// sharedEnd reads the end of the change log, once for all callers that ask at a
// time. A caller gets the result of a reading that began after it asked.
type sharedEnd struct {
	read func(context.Context) (string, error)

	mu sync.Mutex
	// next is the reading that has not begun, nil if nobody asked for one.
	next *endReading
	busy bool
}

type endReading struct {
	done   chan struct{}
	cursor string
	err    error
}

func (s *sharedEnd) get(ctx context.Context) (string, error) {
	s.mu.Lock()
	if s.next == nil {
		s.next = &endReading{done: make(chan struct{})}
	}
	reading := s.next
	if !s.busy {
		s.busy = true
		go s.run()
	}
	s.mu.Unlock()
	select {
	case <-reading.done:
		return reading.cursor, reading.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// run makes readings until nobody asks for one.
func (s *sharedEnd) run() {
	for {
		s.mu.Lock()
		reading := s.next
		s.next, s.busy = nil, reading != nil
		s.mu.Unlock()
		if reading == nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
		reading.cursor, reading.err = s.read(ctx)
		cancel()
		close(reading.done)
	}
}
