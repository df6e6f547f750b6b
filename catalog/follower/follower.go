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
	// followBatch is the number of changes that are read at once.
	followBatch = 1000
	// pagesPerPass bounds the pages that are applied before other work that waits for the index
	// gets its turn, such as the end of a rebuild.
	pagesPerPass = 8
)

// Store is the part of the graph store that a follower reads, and in which it registers.
type Store interface {
	graphstore.ChangeLog
	Entities(ctx context.Context, urns []string) ([]graphstore.Entity, error)
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error)
	LatestTimeSeries(ctx context.Context, urns, aspects []string) (map[string][]graphstore.TimeSeriesValue, error)
	ListEntities(ctx context.Context, entityType string, page graphstore.Page) (urns []string, total int64, err error)
	ScanEntities(ctx context.Context, after string, limit int) ([]string, error)
}

// Follower keeps the search index in step with the store. Follower reads the change log from a
// cursor that the index itself stores, and for each change it reads the present state of the
// entity. So a change may safely be applied twice or late.
type Follower struct {
	registry *model.Registry
	store    Store
	index    indexer.Index
	schema   *indexer.Schema
	logger   *slog.Logger
	written  *broadcast.Broadcast

	// applying is held while changes are applied, and while a rebuilt index replaces the old one.
	applying sync.Mutex
	// rebuilding is held during a rebuild.
	rebuilding sync.Mutex
	// work has the tasks that run beside the passes: builds, and readings of the end of the log.
	work *tasks.Group

	mu      sync.Mutex
	waiting []ticket
	status  Status
	started atomic.Bool
	// following tells that changes are applied as they arrive, so that a wait for them is short.
	following atomic.Bool
	// wake has a token when the follower must not wait for its next pass.
	wake chan struct{}
	// passed is signalled when the index has reached a later position, and when the index is no
	// longer followed.
	passed broadcast.Broadcast
	// behind is the approximate number of changes that the index lacked at measuredAt, in
	// nanoseconds of the epoch. maxBehind is the number from which writers are held back.
	behind, measuredAt atomic.Int64
	maxBehind          int64
	// measure has a token when a write asks for a measurement of the lag.
	measure chan struct{}
	// held counts the writes that are held back now.
	held atomic.Int64
	end  sharedEnd
	// lifetime is the context of run.
	lifetime context.Context
	// cursor is the position of the index, "" while it is unknown.
	cursor string
	// repairs has the entities whose documents must be written again.
	repairs map[string]bool
	now     func() time.Time
	// appliedChanges counts the changes that passes have applied.
	appliedChanges atomic.Int64
	// applied is called with the changes of platforms after the index has them.
	applied func([]graphstore.Change)
}

// Status is the state of the search index.
type Status struct {
	// Building tells that the index is being rebuilt, and has Done of about Total entities so far.
	Building    bool
	Done, Total int64
	// Builds counts the builds that were started. BuildFailure is the failure of the last one, ""
	// for none.
	Builds       int64
	BuildFailure string
	// Failure is the last failure since the index was last up to date, "" for none.
	Failure string
	// Reason is the reason of the last build. Broken is the reason why the index must be rebuilt,
	// "" if it need not be.
	Reason, Broken string
	// Documents counts the documents that were written and deleted since the start.
	Documents int64
	// Refused lists the documents that the engine refuses now. RefusedEver counts all refusals
	// since the start.
	Refused     Refusals
	RefusedEver int64
}

// Writer signals its writes, and updates the paths that depend on changes of platforms.
type Writer interface {
	Written() *broadcast.Broadcast
	QueuePathUpdates(changes []graphstore.Change)
}

// Options configure a Follower.
type Options struct {
	Registry *model.Registry
	Writer   Writer
	Store    Store
	Index    Index
	Schema   *indexer.Schema
	Now      func() time.Time
	Logger   *slog.Logger
}

// New makes a Follower of a catalog's writes. New does nothing before Follow is called.
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

// run follows the change log until the context ends.
func (f *Follower) run(ctx context.Context) {
	f.mu.Lock()
	f.lifetime = ctx
	f.mu.Unlock()
	f.started.Store(true)
	defer f.started.Store(false)
	defer f.setCursor("")                              // the next run reads the position from the index
	measuring := tasks.New("index follower", f.logger) // each run has a group of its own, because the next run may begin before this run has ended
	measuring.Go("measuring the lag", func() { f.measureOnRequest(ctx) })
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

// follow applies changes until an error occurs. follow calls ok after each success.
func (f *Follower) follow(ctx context.Context, ok func()) error {
	reason, err := f.unfit(ctx)
	if err == nil && reason != "" {
		err = f.heal(ctx, reason)
	}
	if err != nil {
		return err
	}
	var renewed time.Time
	defer f.stopFollowing()
	for {
		f.following.Store(true)
		written := f.written.Wait() // waiting for writes begins before the log is read, so that no write is missed
		began, before := time.Now(), f.appliedChanges.Load()
		more, err := f.pass(ctx)
		took := time.Since(began)
		if reason := remedyOf(err); reason != "" {
			f.releaseImpatient(forgetTargets(f.tickets())) // a build may take long
			if err := f.heal(ctx, reason); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			f.releaseImpatient(f.tickets())
			return err
		}
		if now := f.now(); now.Sub(renewed) >= renewEvery || now.Before(renewed) {
			if err := f.renewRegistration(ctx); err != nil {
				return err
			}
			renewed = now
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

// stopFollowing ends the waits that last only as long as the index is followed.
func (f *Follower) stopFollowing() {
	f.following.Store(false)
	f.passed.Signal()
}

func (f *Follower) updateStatus(change func(*Status)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.status)
}
