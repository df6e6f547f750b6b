package follower

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/safely"
)

// While no caller waits for the index, the follower rests after each pass for restFor times the
// duration of the pass, within these bounds. Several changes of an entity during the rest
// become one document, and writers get most of the machine. The follower does not rest while
// the index lacks more than 1/restPart of maxBehind, or more changes than the follower recently
// applied in restLag, so that the next search does not wait long.
const (
	restFor   = 2
	leastRest = 20 * time.Millisecond
	mostRest  = 500 * time.Millisecond
	restPart  = 5
	restLag   = limits.DefaultSearchWait
)

// restBound returns the number of changes that the index may lack while the follower rests.
// applied is the number of changes of the last pass, and took is its duration. A small pass
// tells little about the speed of the follower and is ignored.
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
		f.hurry() // puts the token back, because rest must take the token too
	case <-poll.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// rest lets changes gather, until a caller waits for the index. applied is the number of
// changes of the last pass, and took is its duration.
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

// hurry ends the pause or the rest of the follower.
func (f *Follower) hurry() {
	select {
	case f.wake <- struct{}{}:
	default: // wake already has a token
	}
}

// holdBack delays the answer to a stored write while the index is too far behind, so that
// writers slow down to the speed of the index. The delay is bounded. There is none while the
// index is being built or cannot be written.
func (f *Follower) holdBack(ctx context.Context) {
	if f == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limits.MaxIndexHoldBack)
	defer cancel()
	for {
		passed := f.passed.Wait() // waiting for passes begins before the lag is read, so that no pass is missed
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

// measureEvery is the age at which a measured lag is measured again. Writes ignore a lag that
// is older than measuredFor, so that they do not wait for a slow store.
const (
	measureEvery = 100 * time.Millisecond
	measuredFor  = time.Second
)

// lastMeasured returns the last measured lag without asking the store, and asks for a new
// measurement if one is due.
func (f *Follower) lastMeasured() int64 {
	age := time.Duration(time.Now().UnixNano() - f.measuredAt.Load())
	if age >= measureEvery {
		select {
		case f.measure <- struct{}{}:
		default: // another write has already asked for a measurement
		}
	}
	if age >= measuredFor {
		return 0
	}
	return f.behind.Load()
}

// measureOnRequest measures the lag whenever a write asks for it, until the context ends.
func (f *Follower) measureOnRequest(ctx context.Context) {
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

// measured measures the approximate number of changes that the index lacks, at most ten times a
// second. measured returns 0 if the store fails.
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
