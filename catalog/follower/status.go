package follower

import (
	"context"
	"errors"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/safely"
)

// maxIndexWait is the longest time that a write waits for the index.
const maxIndexWait = 10 * time.Second

// Index is a catalog's search index, with its settings.
type Index struct {
	indexer.Index
	// Wait is how long a search waits for what was written before it.
	Wait time.Duration
	// MaxBehind is how many changes the index may lack before writers slow down,
	// limits.MaxIndexBehind when zero.
	MaxBehind int64
	// Damage describes the damage found when the index was opened, "" for none. A
	// damaged index was emptied; the damage is shown as the reason of its first
	// build.
	Damage string
}

// Follow keeps the search index in step with the store until the context ends.
// It first builds the index if that is new.
func (f *Follower) Follow(ctx context.Context) {
	if f != nil {
		f.run(ctx)
	}
}

// Await returns when the search index holds everything written before the
// call.
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

// AfterWrite waits until the index has a write, if the write is to wait.
// Otherwise it waits only while the index is too far behind.
func (f *Follower) AfterWrite(ctx context.Context, o catalog.WriteOptions) error {
	if o.AwaitIndex {
		return f.Await(ctx)
	}
	f.holdBack(ctx)
	return nil
}

// Reindex starts to rebuild the search index from the store. The current index
// stays in use meanwhile. Status returns the progress.
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

// Status returns the state of the search index; false without an index.
func (f *Follower) Status() (Status, bool) {
	if f == nil {
		return Status{}, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status, true
}

// RefusedCounts counts the documents that the index's engine refuses now, and
// all refusals since the start.
func (f *Follower) RefusedCounts() (now, ever int64) {
	status, _ := f.Status()
	return status.Refused.Count(), status.RefusedEver
}

// Following reports whether changes are being applied as they arrive.
func (f *Follower) Following() bool { return f != nil && f.following.Load() }

// HeldWrites counts the writes whose answers are held back because the index is
// too far behind.
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

// Lag counts the changes that the search index does not have yet.
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

// unwritable is said of an index that answers, and falls behind.
const unwritable = "the search index cannot be written"

// Ping fails when the search index cannot serve, or cannot be written.
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

// Failure turns an error of the index into one for callers.
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
