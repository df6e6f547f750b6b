package follower

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/broadcast"
	"github.com/headwater-io/headwater/internal/clip"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/internal/tasks"
	"github.com/headwater-io/headwater/model"
)

const (
	// followBatch is how many changes are read at once.
	followBatch = 1000
	// pagesPerPass is how many batches are applied before anything else that
	// waits for the index, such as a rebuild that has ended, has its turn.
	pagesPerPass = 8
)

// Store is what a follower reads of the graph, and where it registers.
type Store interface {
	graphstore.ChangeLog
	Entities(ctx context.Context, urns []string) ([]graphstore.Entity, error)
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error)
	LatestTimeSeries(ctx context.Context, urns, aspects []string) (map[string][]graphstore.TimeSeriesValue, error)
	ListEntities(ctx context.Context, entityType string, page graphstore.Page) (urns []string, total int64, err error)
	ScanEntities(ctx context.Context, after string, limit int) ([]string, error)
}

// Follower keeps the search index in step with the store. It reads the change
// log from a cursor that the index itself stores, and reads the entities named
// there again: applying a change twice, or late, does no harm.
type Follower struct {
	registry *model.Registry
	store    Store
	index    indexer.Index
	schema   *indexer.Schema
	logger   *slog.Logger
	written  *broadcast.Broadcast

	// applying is held while changes are applied and while a rebuilt index
	// takes the place of the old one.
	applying sync.Mutex
	// rebuilding is held during a rebuild.
	rebuilding sync.Mutex
	// work is what runs beside the passes: builds, readings of the end of the log.
	work *tasks.Group

	mu      sync.Mutex
	waiting []ticket
	status  Status
	started atomic.Bool
	// following: changes are being applied as they arrive, so waiting for them
	// is short.
	following atomic.Bool
	// wake has a token when something does not bear waiting for the next pass.
	wake chan struct{}
	// passed is signalled when the index has got further, or is no longer
	// followed.
	passed broadcast.Broadcast
	// behind is about how many changes the index lacked at measuredAt, in
	// nanoseconds of the epoch; maxBehind is how many it may lack before writers
	// are held back.
	behind, measuredAt atomic.Int64
	maxBehind          int64
	// measure has a token when a write asks for the lag to be measured.
	measure chan struct{}
	// held counts the writes that are held back.
	held atomic.Int64
	end  sharedEnd
	// lifetime is the context of run.
	lifetime context.Context
	// cursor is the position of the index, "" until that is known.
	cursor string
	// repairs are the entities whose documents must be written again.
	repairs map[string]bool
	now     func() time.Time
	// appliedChanges counts the changes that passes have applied.
	appliedChanges atomic.Int64
	// applied is called with the changes of platforms, after the index has them.
	applied func([]graphstore.Change)
}

// Status is the state of the search index.
type Status struct {
	// Building: the index is being rebuilt, and has Done of about Total
	// entities so far.
	Building    bool
	Done, Total int64
	// Builds counts the builds that were started; BuildFailure is the failure
	// of the last one.
	Builds       int64
	BuildFailure string
	// Failure is the last failure since the index was last up to date.
	Failure string
	// Reason is why the last build was started. Broken is why the index must be
	// rebuilt, "" if it need not be.
	Reason, Broken string
	// Documents counts the documents written and deleted since the start.
	Documents int64
	// Refused are the documents that the engine does not take now, RefusedEver
	// counts all refusals since the start.
	Refused     Refusals
	RefusedEver int64
}

// Writer signals its writes, and does what follows from changes of the log.
type Writer interface {
	Written() *broadcast.Broadcast
	QueuePathUpdates(changes []graphstore.Change)
}

// Options are what a follower follows, and where it writes.
type Options struct {
	Registry *model.Registry
	Writer   Writer
	Store    Store
	Index    Index
	Schema   *indexer.Schema
	Now      func() time.Time
	Logger   *slog.Logger
}

// New makes the follower of a catalog's writes. It does nothing before
// Follow.
func New(o Options) *Follower {
	f := &Follower{
		registry: o.Registry, store: o.Store, index: o.Index.Index, schema: o.Schema, logger: o.Logger,
		written: o.Writer.Written(), repairs: map[string]bool{}, now: o.Now, applied: o.Writer.QueuePathUpdates,
		wake: make(chan struct{}, 1), measure: make(chan struct{}, 1), maxBehind: cmp.Or(o.Index.MaxBehind, limits.MaxIndexBehind),
	}
	f.work = tasks.New("index follower", o.Logger)
	f.end = sharedEnd{read: o.Store.EndCursor, work: f.work}
	if o.Index.Damage != "" {
		f.status.Broken = reasonFound + ": " + clip.Text(o.Index.Damage, maxReason)
	}
	return f
}

// run follows until the context ends.
func (f *Follower) run(ctx context.Context) {
	f.mu.Lock()
	f.lifetime = ctx
	f.mu.Unlock()
	f.started.Store(true)
	defer f.started.Store(false)
	defer f.setCursor("")                              // the next run looks what the index has
	measuring := tasks.New("index follower", f.logger) // of this run: the next one may have begun
	measuring.Go("measuring the lag", func() { f.keepMeasured(ctx) })
	wait := catalog.RetryFirst
	for ctx.Err() == nil {
		err := safely.Do(func() error { return f.follow(ctx, func() { wait = catalog.RetryFirst }) })
		if ctx.Err() != nil {
			break
		}
		f.fail(ctx, err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		wait = min(2*wait, catalog.RetryMost)
	}
	for _, group := range []*tasks.Group{f.work, measuring} {
		_ = group.Wait(context.Background())
	}
	f.release(f.tickets())
}

func (f *Follower) fail(ctx context.Context, err error) {
	f.logger.WarnContext(ctx, "the search index cannot be updated; trying again", "error", err)
	message := unwritable
	switch {
	case errors.Is(err, indexer.ErrUnavailable):
		message = "the search index is not available"
	case errors.Is(err, graphstore.ErrUnavailable):
		message = "the graph store is not available"
	}
	f.updateStatus(func(s *Status) { s.Failure = message })
}

// follow applies changes until something fails. It calls ok after each success.
func (f *Follower) follow(ctx context.Context, ok func()) error {
	reason, err := f.unfit(ctx)
	if err == nil && reason != "" {
		err = f.heal(ctx, reason)
	}
	if err != nil {
		return err
	}
	var tended time.Time
	defer f.stopFollowing()
	for {
		f.following.Store(true)
		written := f.written.Wait() // before reading, so that no write is missed
		began, before := time.Now(), f.appliedChanges.Load()
		more, err := f.pass(ctx)
		took := time.Since(began)
		if reason := remedyOf(err); reason != "" {
			f.keepPatient(forgetTargets(f.tickets())) // a build may take long
			if err := f.heal(ctx, reason); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			f.keepPatient(f.tickets())
			return err
		}
		if now := f.now(); now.Sub(tended) >= tendEvery || now.Before(tended) {
			if err := f.renewRegistration(ctx); err != nil {
				return err
			}
			tended = now
		}
		ok()
		if !more {
			err = f.pause(ctx, written)
		}
		if err == nil {
			err = f.rest(ctx, f.appliedChanges.Load()-before, took)
		}
		if err != nil {
			return err
		}
	}
}

// stopFollowing ends the waits that are only for an index that is being
// followed.
func (f *Follower) stopFollowing() {
	f.following.Store(false)
	f.passed.Signal()
}

func (f *Follower) updateStatus(change func(*Status)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.status)
}
