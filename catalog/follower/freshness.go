package follower

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/internal/tasks"
)

// Unknown is the number of changes that an index lacks when that cannot be told.
const Unknown = -1

// leastEndRead is how long the end of the log may be read however short the wait is:
// without it an answer cannot tell whether something is missing.
const leastEndRead = 200 * time.Millisecond

// CatchUp waits until the index has everything that was committed before the
// call, at most for a time, which includes reading where that ends. It returns how
// many of these changes the index still lacks: 0 if it has all of them, [Unknown]
// while the index is incomplete or the store does not say in time. It does not wait
// for an index that is being built or cannot be written.
// The reasons are in docs/decisions/0044-searches-wait.md.
func (f *Follower) CatchUp(ctx context.Context, atMost time.Duration) int64 {
	if f.broken() != "" {
		return Unknown
	}
	began := time.Now()
	end, err := f.endWithin(ctx, max(atMost, leastEndRead))
	if err != nil {
		if caught := (*safely.PanicError)(nil); errors.As(err, &caught) {
			f.logger.ErrorContext(ctx, "the end of the change log cannot be read", "error", err)
		}
		return Unknown
	}
	if f.lacks(end) == 0 {
		return 0
	}
	if left := atMost - time.Since(began); left > 0 && f.following.Load() {
		waiting, cancel := context.WithTimeout(ctx, left)
		_ = f.await(waiting, end, false) // what matters is where the index is then
		cancel()
	}
	return f.lacks(end)
}

// lacks is how many changes up to a position the index lacks, [Unknown] while it is
// incomplete.
func (f *Follower) lacks(end string) int64 {
	at := f.position()
	missing, err := f.store.Missing(at, end)
	if f.broken() != "" || at == "" || err != nil {
		return Unknown
	}
	return missing
}

// endWithin is the end of the change log.
func (f *Follower) endWithin(ctx context.Context, atMost time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	return f.end.get(ctx)
}

// endTimeout bounds how long reading the end of the log may take.
const endTimeout = 10 * time.Second

// sharedEnd reads the end of the change log, once for all callers that ask at a
// time. A caller gets the result of a reading that began after it asked.
type sharedEnd struct {
	read func(context.Context) (string, error)
	work *tasks.Group

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
		s.busy = s.work.Go("reading the end of the change log", s.run)
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
		reading.err = safely.Do(func() (err error) {
			reading.cursor, err = s.read(ctx)
			return err
		})
		cancel()
		close(reading.done)
	}
}
