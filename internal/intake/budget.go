// Package intake reads request bodies within bounds. It limits decompression,
// measures JSON before it is decoded, and reserves memory for each body from a
// budget that all requests of the process share.
// The reasons are in docs/decisions/0027-request-memory.md.
package intake

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
)

const (
	// smallWeight is the weight in bytes up to which a request is small. A part of the
	// budget is reserved for small requests.
	smallWeight = 1 << 20
	// smallShare: one part in smallShare of the budget is reserved for small requests.
	smallShare = 8
)

// Budget is the estimated memory that running requests may use. It is safe for
// concurrent use.
type Budget struct {
	small, large *lane
	wait         time.Duration

	held, refused atomic.Int64
}

// NewBudget makes a budget of total bytes. An eighth of it is reserved for small requests.
func NewBudget(total int64) *Budget {
	small := total / smallShare
	return &Budget{
		small: newLane(small),
		large: newLane(total - small),
		wait:  limits.RequestMemoryWaitSeconds * time.Second,
	}
}

// Size returns the largest weight of one request in bytes.
func (b *Budget) Size() int64 { return b.large.size }

// Refused returns the number of requests that were refused because they waited too long for
// memory.
func (b *Budget) Refused() int64 { return b.refused.Load() }

// Held returns the weight of the running requests in bytes.
func (b *Budget) Held() int64 { return b.held.Load() }

// Share is the part of a budget that one request holds. A nil Share holds nothing and
// refuses nothing. Only one goroutine may use a share.
type Share struct {
	budget *Budget
	// held is the weight that the share holds in the lane in.
	held int64
	in   *lane
	// unread: the body is not complete. Such a request counts as large, so that a sender
	// that stops midway does not block small requests.
	unread bool
}

// Share returns a new share for a request. The caller ends it with Release.
func (b *Budget) Share() *Share {
	if b == nil {
		return nil
	}
	return &Share{budget: b, in: b.small}
}

// lane returns the lane for a weight in bytes.
func (s *Share) lane(weight int64) *lane {
	if weight <= min(smallWeight, s.budget.small.size) && !s.unread {
		return s.budget.small
	}
	return s.budget.large
}

// reading sets whether the body is incomplete.
func (s *Share) reading(unread bool) {
	if s != nil {
		s.unread = unread
	}
}

// Hold sets the weight of the share in bytes. To increase it, Hold may wait briefly for
// other requests to end. The error is Busy if they do not, and TooLarge if the weight can
// never be available.
func (s *Share) Hold(ctx context.Context, weight int64) error {
	if s == nil {
		return nil
	}
	b := s.budget
	if weight > b.large.size {
		return catalog.Errorf(catalog.TooLarge, "the request would take about %d MiB of memory, the limit is %d MiB (--request-memory)",
			weight>>20, b.large.size>>20)
	}
	to := s.lane(weight)
	switch {
	case to != s.in:
		if err := b.acquire(ctx, to, weight); err != nil {
			return err
		}
		s.in.release(s.held)
	case weight > s.held:
		if err := b.acquire(ctx, to, weight-s.held); err != nil {
			return err
		}
	default:
		to.release(s.held - weight)
	}
	b.held.Add(weight - s.held)
	s.held, s.in = weight, to
	return nil
}

// HoldMore increases the weight by more bytes, as Hold does.
func (s *Share) HoldMore(ctx context.Context, more int64) error {
	return s.Hold(ctx, s.Weight()+more)
}

// Weight returns the weight of the share in bytes.
func (s *Share) Weight() int64 {
	if s == nil {
		return 0
	}
	return s.held
}

// Release returns the whole weight to the budget.
func (s *Share) Release() {
	if s == nil {
		return
	}
	s.in.release(s.held)
	s.budget.held.Add(-s.held)
	s.held = 0
}

func (b *Budget) acquire(ctx context.Context, from *lane, n int64) error {
	if from.tryAcquire(n) {
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, b.wait)
	defer cancel()
	if from.acquire(waiting, n) == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	b.refused.Add(1)
	return catalog.Errorf(catalog.Busy, "the running requests use all the memory for requests (--request-memory); try again")
}

type shareKey struct{}

// WithShare returns a context in which reads count against a share.
func WithShare(ctx context.Context, s *Share) context.Context {
	return context.WithValue(ctx, shareKey{}, s)
}

// ShareOf returns the share of a request, or nil if it has none.
func ShareOf(ctx context.Context) *Share {
	s, _ := ctx.Value(shareKey{}).(*Share)
	return s
}
