package follower

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/internal/tasks"
)

// Unknown stands for an unknown number of changes that an index lacks.
const Unknown = -1

// leastEndRead is the time that reading the end of the log may always take, even if the wait is
// shorter. Without the end, an answer cannot tell whether it lacks a change.
const leastEndRead = 200 * time.Millisecond

// CatchUp waits until the index has all changes that were committed before the call, at most
// for a time. The time includes reading the end of the log. CatchUp returns the number of these
// changes that the index still lacks: 0 if it has all of them, [Unknown] if the index is
// incomplete or the store does not answer in time. CatchUp does not wait for an index that is
// being built or cannot be written.
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
		_ = f.await(waiting, end, false) // the error does not matter, because the position is compared afterwards
		cancel()
	}
	return f.lacks(end)
}

// lacks returns the number of changes up to a position that the index lacks, [Unknown] while
// the index is incomplete.
func (f *Follower) lacks(end string) int64 {
	at := f.position()
	missing, err := f.store.Missing(at, end)
	if f.broken() != "" || at == "" || err != nil {
		return Unknown
	}
	return missing
}

// endWithin reads the end of the change log, within a time.
func (f *Follower) endWithin(ctx context.Context, atMost time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	return f.end.get(ctx)
}

// endTimeout bounds the time of a reading of the end of the log.
const endTimeout = 10 * time.Second

// sharedEnd reads the end of the change log, once for all callers that ask at the same time.
// Each caller gets the result of a reading that began after its call.
type sharedEnd struct {
	read func(context.Context) (string, error)
	work *tasks.Group

	mu sync.Mutex
	// next is the reading that has not begun yet, nil if no caller asked for one.
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

// run makes readings until no caller asks for one.
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
