package search

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headwater-io/headwater/catalog"
)

// Freshness tells how far behind the index was when it answered the searches of a request.
type Freshness struct {
	mu     sync.Mutex
	waited time.Duration
	late   bool
	lacks  int64
}

type freshnessKey struct{}

// WithFreshness makes a context that records the freshness of its searches. All searches of the
// context together wait for the index no longer than a single search does.
func WithFreshness(ctx context.Context) (context.Context, *Freshness) {
	f := &Freshness{}
	return context.WithValue(ctx, freshnessKey{}, f), f
}

// Behind reports whether an index answered a search without a change that was written before
// the search. Behind also returns the number of changes that the index lacked, negative if the
// number is unknown.
func (f *Freshness) Behind() (changes int64, late bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lacks, f.late
}

// Lacking returns the number of changes that an index lacks as text.
func Lacking(changes int64) string {
	if changes < 0 {
		return "unknown"
	}
	return strconv.FormatInt(changes, 10)
}

// left returns how much of a time the searches of the context may still wait.
func (f *Freshness) left(of time.Duration) time.Duration {
	if f == nil {
		return of
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return max(of-f.waited, 0)
}

// add records a wait, and the number of changes that the index lacked after it.
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

// moment is what the searches of one request share: the life-cycle stages that hide entities, read once the index had all
// changes that were written before the first of the searches.
type moment struct {
	// waited tells that a search has waited for the index.
	waited atomic.Bool

	mu     sync.Mutex
	read   bool
	hiding []hidingStage
}

type momentKey struct{}

// AtOneMoment makes a context whose searches wait for the index once, and read the life-cycle stages once. It is for
// requests that write nothing: their later searches need not find what others have written since the first one.
func AtOneMoment(ctx context.Context) context.Context {
	return context.WithValue(ctx, momentKey{}, &moment{})
}

// caughtUp waits as catchUp does, and reads the life-cycle stages that hide entities. The
// context that it returns keeps both for all further queries of the search.
func (s *Service) caughtUp(ctx context.Context) (context.Context, error) {
	if shared, ok := ctx.Value(momentKey{}).(*moment); ok {
		return shared.of(ctx, s)
	}
	hiding, err := s.hidingNow(ctx)
	if err != nil {
		return nil, err
	}
	return context.WithValue(ctx, caughtUpKey{}, hiding), nil
}

// of returns the context of one of the searches. A search that fails leaves the moment to the next one.
func (m *moment) of(ctx context.Context, s *Service) (context.Context, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.read {
		hiding, err := s.hidingNow(ctx)
		if err != nil {
			return nil, err
		}
		m.read, m.hiding = true, hiding
	}
	return context.WithValue(ctx, caughtUpKey{}, m.hiding), nil
}

// hidingNow waits as catchUp does, and reads the life-cycle stages that hide entities.
func (s *Service) hidingNow(ctx context.Context) ([]hidingStage, error) {
	if err := s.catchUp(ctx); err != nil {
		return nil, err
	}
	return s.hidingStages(ctx)
}

// catchUp waits, within the bound, until the index has all changes that were written before.
// catchUp is called before each query of the index.
func (s *Service) catchUp(ctx context.Context) error {
	if s.index == nil {
		return catalog.ErrNoIndex
	}
	shared, _ := ctx.Value(momentKey{}).(*moment)
	if ctx.Value(caughtUpKey{}) != nil || shared != nil && shared.waited.Load() {
		return nil
	}
	freshness, _ := ctx.Value(freshnessKey{}).(*Freshness)
	began := time.Now()
	lacks := s.follower.CatchUp(ctx, freshness.left(s.wait))
	freshness.add(time.Since(began), lacks)
	if shared != nil && ctx.Err() == nil {
		shared.waited.Store(true)
	}
	return catalog.StoreFailure(ctx.Err())
}
