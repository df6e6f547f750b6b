package follower

import (
	"context"
	"errors"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/safely"
)

// maxIndexWait bounds the time for which a write waits for the index.
const maxIndexWait = 10 * time.Second

// Index is a catalog's search index, with its settings.
type Index struct {
	indexer.Index
	// Wait bounds the time for which a search waits for changes that were written before it.
	Wait time.Duration
	// MaxBehind is the number of changes that the index may lack before writers slow down; 0 means
	// limits.MaxIndexBehind.
	MaxBehind int64
	// Damage describes the damage that was found when the index was opened, "" for none. A damaged
	// index is opened empty; the damage is reported as the reason of its first build.
	Damage string
}

// Follow keeps the search index in step with the store until the context ends. Follow first
// builds the index if the index is new.
func (f *Follower) Follow(ctx context.Context) {
	if f != nil {
		f.run(ctx)
	}
}

// Await waits until the search index has all changes that were written before the call, at most
// for maxIndexWait.
func (f *Follower) Await(ctx context.Context) error {
	if f == nil {
		return catalog.ErrNoIndex
	}
	ctx, cancel := context.WithTimeout(ctx, maxIndexWait)
	defer cancel()
	end, err := f.end.get(ctx)
	if err == nil && f.lacks(end) != 0 {
		err = f.await(ctx, end, true)
	}
	if err != nil {
		return catalog.Errorf(catalog.Timeout, "the write is stored, but the search index does not have it yet")
	}
	return nil
}

// AfterWrite waits until the index has a write, if the options ask for it. Otherwise AfterWrite
// waits only while the index is too far behind.
func (f *Follower) AfterWrite(ctx context.Context, o catalog.WriteOptions) error {
	if o.AwaitIndex {
		return f.Await(ctx)
	}
	f.holdBack(ctx)
	return nil
}

// Reindex starts a rebuild of the search index from the store. The present index stays in use
// meanwhile. Status returns the progress.
func (f *Follower) Reindex() error {
	if f == nil || !f.started.Load() {
		return catalog.ErrNoIndex
	}
	if !f.rebuilding.TryLock() {
		return catalog.Errorf(catalog.Conflict, "the search index is being built already")
	}
	f.mu.Lock()
	ctx := f.lifetime
	f.mu.Unlock()
	f.updateStatus(func(s *Status) { s.Building = true })
	f.work.Go("build", func() {
		defer f.rebuilding.Unlock()
		if err := safely.Do(func() error { return f.rebuildNow(ctx, reasonAsked) }); err != nil {
			f.updateStatus(func(s *Status) { s.Building, s.BuildFailure = false, catalog.MessageOf(Failure(err)) })
			f.logger.WarnContext(ctx, "the search index cannot be built", "error", err)
		}
	})
	return nil
}

// Status returns the state of the search index, and false if there is no index.
func (f *Follower) Status() (Status, bool) {
	if f == nil {
		return Status{}, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status, true
}

// RefusedCounts returns the number of documents that the engine of the index refuses now, and
// the number of all refusals since the start.
func (f *Follower) RefusedCounts() (now, ever int64) {
	status, _ := f.Status()
	return status.Refused.Count(), status.RefusedEver
}

// Following reports whether changes are being applied as they arrive.
func (f *Follower) Following() bool { return f != nil && f.following.Load() }

// HeldWrites returns the number of writes whose answers are delayed because the index is too
// far behind.
func (f *Follower) HeldWrites() int64 {
	if f == nil {
		return 0
	}
	return f.held.Load()
}

// Building reports whether the search index is being rebuilt.
func (f *Follower) Building() bool {
	status, _ := f.Status()
	return status.Building
}

// Lag returns the number of changes that the search index does not have yet.
func (f *Follower) Lag(ctx context.Context) (int64, error) {
	if f == nil {
		return 0, catalog.ErrNoIndex
	}
	f.mu.Lock()
	cursor := f.cursor
	f.mu.Unlock()
	lag, err := f.store.Lag(ctx, cursor)
	return lag, catalog.StoreFailure(err)
}

// unwritable is the message for an index that answers but falls behind.
const unwritable = "the search index cannot be written"

// Ping fails if the search index cannot answer, or cannot be written.
func (f *Follower) Ping(ctx context.Context) error {
	if f == nil {
		return catalog.ErrNoIndex
	}
	if f.broken() == reasonDamaged {
		return errDamaged
	}
	return Failure(f.index.Ping(ctx))
}

var errDamaged = &catalog.Error{Code: catalog.Unavailable, Message: "the search index is damaged and is being rebuilt"}

// Failure converts an error of the index into an error for callers.
func Failure(err error) error {
	switch {
	case errors.Is(err, indexer.ErrUnavailable), errors.Is(err, indexer.ErrClosed):
		return &catalog.Error{Code: catalog.Unavailable, Message: "the search index is not available", Err: err}
	case errors.Is(err, indexer.ErrUnwritable):
		return &catalog.Error{Code: catalog.Unavailable, Message: unwritable, Err: err}
	case errors.Is(err, indexer.ErrDamaged):
		return &catalog.Error{Code: catalog.Unavailable, Message: errDamaged.Message, Err: err}
	case errors.Is(err, indexer.ErrBadToken), errors.Is(err, indexer.ErrTooComplex):
		return &catalog.Error{Code: catalog.Invalid, Message: err.Error()}
	}
	return catalog.StoreFailure(err)
}
