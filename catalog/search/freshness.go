package search

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/headwater-io/headwater/catalog"
)

// Freshness tells how far behind the index was when a request was answered.
type Freshness struct {
	mu     sync.Mutex
	waited time.Duration
	late   bool
	lacks  int64
}

type freshnessKey struct{}

// WithFreshness collects how fresh the answers of the searches in a context are.
// All of them together wait for the index no longer than one search does.
func WithFreshness(ctx context.Context) (context.Context, *Freshness) {
	f := &Freshness{}
	return context.WithValue(ctx, freshnessKey{}, f), f
}

// Behind reports whether a search was answered by an index that lacked something
// written before it, and how many changes the index lacked, a negative number
// when that is unknown.
func (f *Freshness) Behind() (changes int64, late bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lacks, f.late
}

// Lacking writes how many changes an index lacks.
func Lacking(changes int64) string {
	if changes < 0 {
		return "unknown"
	}
	return strconv.FormatInt(changes, 10)
}

// left is how much of a time may still be waited.
func (f *Freshness) left(of time.Duration) time.Duration {
	if f == nil {
		return of
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return max(of-f.waited, 0)
}

// add records a wait and how many changes the index lacked after it.
func (f *Freshness) add(waited time.Duration, lacks int64) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waited += waited
	switch {
	case lacks == 0:
	case lacks < 0, f.late && f.lacks < 0:
		f.late, f.lacks = true, -1
	default:
		f.late, f.lacks = true, max(f.lacks, lacks)
	}
}

type caughtUpKey struct{}

// caughtUp waits as catchUp does, and reads the life-cycle stages that hide entities, once for
// all questions to the index in the context that it returns.
func (s *Service) caughtUp(ctx context.Context) (context.Context, error) {
	if err := s.catchUp(ctx); err != nil {
		return nil, err
	}
	hiding, err := s.hidingStages(ctx)
	if err != nil {
		return nil, err
	}
	return context.WithValue(ctx, caughtUpKey{}, hiding), nil
}

// catchUp is called before the index is asked: it waits until the index has what
// was written before, within the bound.
func (s *Service) catchUp(ctx context.Context) error {
	if s.index == nil {
		return catalog.ErrNoIndex
	}
	if ctx.Value(caughtUpKey{}) != nil {
		return nil
	}
	freshness, _ := ctx.Value(freshnessKey{}).(*Freshness)
	began := time.Now()
	lacks := s.follower.CatchUp(ctx, freshness.left(s.wait))
	freshness.add(time.Since(began), lacks)
	return catalog.StoreFailure(ctx.Err())
}
