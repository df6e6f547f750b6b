package follower

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/safely"
)

// While nobody waits for the index, the follower rests after each pass for
// restFor times as long as the pass took, within these bounds. So what is written
// about an entity meanwhile becomes one document, and writers get most of the
// machine. It does not rest when the index lacks more than a part of what it may
// lack, or than it was given lately in restLag, so that whoever searches next does not
// wait long.
const (
	restFor   = 2
	leastRest = 20 * time.Millisecond
	mostRest  = 500 * time.Millisecond
	restPart  = 5
	restLag   = limits.DefaultSearchWait
)

// restBound is how many changes the index may lack while the follower rests, after a
// pass that applied some in a time. Short passes say little of how fast it is.
func restBound(maxBehind, applied int64, took time.Duration) int64 {
	bound := maxBehind / restPart
	if applied < followBatch || took <= 0 {
		return bound
	}
	return min(bound, int64(float64(applied)*float64(restLag)/float64(took)))
}

// pause waits for the next write, of this process or of another.
func (f *Follower) pause(ctx context.Context, written <-chan struct{}) error {
	poll := time.NewTimer(catalog.ChangePoll)
	defer poll.Stop()
	select {
	case <-written:
	case <-f.wake:
		f.hurry() // the rest sees it too
	case <-poll.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// rest lets changes gather after a pass that applied some and took so long, until
// somebody waits for them.
func (f *Follower) rest(ctx context.Context, applied int64, took time.Duration) error {
	if f.someoneWaits() || f.measured(ctx) > restBound(f.maxBehind, applied, took) {
		return ctx.Err()
	}
	rest := time.NewTimer(min(max(restFor*took, leastRest), mostRest))
	defer rest.Stop()
	select {
	case <-f.wake:
	case <-rest.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// hurry ends the pause or rest of the follower.
func (f *Follower) hurry() {
	select {
	case f.wake <- struct{}{}:
	default: // it is told already
	}
}

// holdBack keeps a write, which is stored, from being answered while the index
// is too far behind, so that writers slow down to the speed of the index. It
// does so no longer than a bound, and not while the index is built or cannot be
// written.
func (f *Follower) holdBack(ctx context.Context) {
	if f == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limits.MaxIndexHoldBack)
	defer cancel()
	for {
		passed := f.passed.Wait() // before looking, so that no pass is missed
		if !f.following.Load() || f.lastMeasured() <= f.maxBehind {
			return
		}
		f.held.Add(1)
		measureAgain := time.NewTimer(measureEvery)
		select {
		case <-passed:
		case <-measureAgain.C:
		case <-ctx.Done():
		}
		measureAgain.Stop()
		f.held.Add(-1)
		if ctx.Err() != nil {
			return
		}
	}
}

// measureEvery is how old the measured lag may be before it is measured again. Writes
// count nothing of a lag that was measured longer than measuredFor ago: they do not wait
// for a store that is slow to say.
const (
	measureEvery = 100 * time.Millisecond
	measuredFor  = time.Second
)

// lastMeasured returns about how many changes the index lacks, without asking the store,
// and has the lag measured again if that is due.
func (f *Follower) lastMeasured() int64 {
	age := time.Duration(time.Now().UnixNano() - f.measuredAt.Load())
	if age >= measureEvery {
		select {
		case f.measure <- struct{}{}:
		default: // it is asked for already
		}
	}
	if age >= measuredFor {
		return 0
	}
	return f.behind.Load()
}

// keepMeasured measures the lag whenever writes ask for it, until the context ends.
func (f *Follower) keepMeasured(ctx context.Context) {
	for {
		select {
		case <-f.measure:
			if err := safely.Do(func() error { f.measured(ctx); return nil }); err != nil {
				f.logger.WarnContext(ctx, "the lag of the search index cannot be measured", "error", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// measured measures about how many changes the index lacks, at most ten times a second.
// It counts none when the store does not say.
func (f *Follower) measured(ctx context.Context) int64 {
	last := f.measuredAt.Load()
	if time.Now().UnixNano()-last < int64(measureEvery) {
		return f.behind.Load()
	}
	lag, err := f.Lag(ctx)
	if err != nil {
		lag = 0
	}
	f.behind.Store(lag)
	f.measuredAt.Store(time.Now().UnixNano())
	return lag
}
