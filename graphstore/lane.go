package graphstore

import (
	"context"
	"errors"
	"time"

	"github.com/headwater-io/headwater/internal/limits"
)

// Lane bounds the callers that do one kind of work at once, so that other kinds of work keep
// their capacity.
// The reasons are in docs/decisions/0030-lanes.md.
type Lane struct{ room chan struct{} }

// NewLane makes a lane with at least one place.
func NewLane(room int) *Lane { return &Lane{make(chan struct{}, max(room, 1))} }

// Enter waits for a place, and returns the function that frees the place, which must be called
// once. Enter fails with ErrBusy if the deadline of the context or limits.LaneWait passes
// first. If the context has no deadline, Enter waits until the context ends.
func (l *Lane) Enter(ctx context.Context) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if l.TryEnter() {
		return l.leave, nil
	}
	var patience <-chan time.Time
	if _, bounded := ctx.Deadline(); bounded {
		timer := time.NewTimer(limits.LaneWait)
		defer timer.Stop()
		patience = timer.C
	}
	select {
	case l.room <- struct{}{}:
		return l.leave, nil
	case <-patience:
		return nil, ErrBusy
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, ErrBusy
		}
		return nil, ctx.Err()
	}
}

// EnterSoon is Enter with a wait of at most limits.LaneWait, for contexts without a deadline.
func (l *Lane) EnterSoon(ctx context.Context) (leave func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, limits.LaneWait)
	defer cancel()
	return l.Enter(ctx)
}

// TryEnter takes a place if one is free. Leave frees the place.
func (l *Lane) TryEnter() bool {
	select {
	case l.room <- struct{}{}:
		return true
	default:
		return false
	}
}

// Leave frees the place that TryEnter took.
func (l *Lane) Leave() { l.leave() }

func (l *Lane) leave() { <-l.room }

// Inside returns the number of callers in the lane.
func (l *Lane) Inside() int { return len(l.room) }
