package catalog

import (
	"context"
	"errors"
	"time"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/safely"
)

// maxIndexWait is the longest time that a write waits for the index.
const maxIndexWait = 10 * time.Second

// Index is a catalog's search index, with its settings.
type Index struct {
	indexer.Index
	// Fresh: every write waits until the index has it. Otherwise only those
	// writes wait that ask for it.
	Fresh bool
	// Damage says what was wrong with the index when it was opened, "" for
	// nothing. A damaged index was emptied; the damage is shown as the reason
	// of its first build.
	Damage string
}

// Follow keeps the search index in step with the store until the context ends.
// It first builds the index if that is new.
func (c *Catalog) Follow(ctx context.Context) {
	if c.follower != nil {
		c.follower.run(ctx)
	}
}

// AwaitIndex returns when the search index holds everything written before the
// call.
func (c *Catalog) AwaitIndex(ctx context.Context) error {
	if c.follower == nil {
		return errNoIndex
	}
	return c.awaitIndex(ctx, true)
}

func (c *Catalog) awaitIndex(ctx context.Context, patient bool) error {
	ctx, cancel := context.WithTimeout(ctx, maxIndexWait)
	defer cancel()
	if c.follower.await(ctx, patient) != nil {
		return Errorf(Timeout, "the write is stored, but the search index does not have it yet")
	}
	return nil
}

// AfterWrite lets a write wait for the index where it should: not while the
// index is built for the first time or cannot be written, which may take long.
func (c *Catalog) AfterWrite(ctx context.Context, o WriteOptions) error {
	switch {
	case o.AwaitIndex:
		return c.AwaitIndex(ctx)
	case c.follower != nil && c.follower.fresh && !o.Async && c.follower.following.Load():
		if err := c.awaitIndex(ctx, false); err != nil {
			c.follower.logger.WarnContext(ctx, "a write was answered before the search index had it", "error", err)
		}
	}
	return nil
}

// Reindex starts to rebuild the search index from the store. The current index
// stays in use meanwhile. IndexStatus returns the progress.
func (c *Catalog) Reindex() error {
	if c.follower == nil || !c.follower.started.Load() {
		return errNoIndex
	}
	f := c.follower
	if !f.rebuilding.TryLock() {
		return Errorf(Conflict, "the search index is being built already")
	}
	f.mu.Lock()
	ctx := f.lifetime
	f.mu.Unlock()
	f.updateStatus(func(s *IndexStatus) { s.Building = true })
	f.builds.Go(func() {
		defer f.rebuilding.Unlock()
		if err := safely.Do(func() error { return f.rebuildNow(ctx, reasonAsked) }); err != nil {
			f.updateStatus(func(s *IndexStatus) { s.Building, s.BuildFailure = false, MessageOf(indexFailure(err)) })
			f.logger.WarnContext(ctx, "the search index cannot be built", "error", err)
		}
	})
	return nil
}

// IndexStatus returns the state of the search index; false without an index.
func (c *Catalog) IndexStatus() (IndexStatus, bool) {
	if c.follower == nil {
		return IndexStatus{}, false
	}
	c.follower.mu.Lock()
	defer c.follower.mu.Unlock()
	return c.follower.status, true
}

// IndexRefused counts the documents that the index's engine refuses now, and
// all refusals since the start.
func (c *Catalog) IndexRefused() (now, ever int64) {
	status, _ := c.IndexStatus()
	return status.Refused.Count(), status.RefusedEver
}

// IndexBuilding reports whether the search index is being rebuilt.
func (c *Catalog) IndexBuilding() bool {
	status, _ := c.IndexStatus()
	return status.Building
}

// IndexLag counts the changes that the search index does not have yet.
func (c *Catalog) IndexLag(ctx context.Context) (int64, error) {
	if c.follower == nil {
		return 0, errNoIndex
	}
	c.follower.mu.Lock()
	cursor := c.follower.cursor
	c.follower.mu.Unlock()
	lag, err := c.follower.store.Lag(ctx, cursor)
	return lag, storeFailure(err)
}

// PingIndex fails when the search index cannot serve.
func (c *Catalog) PingIndex(ctx context.Context) error {
	if c.follower == nil {
		return errNoIndex
	}
	if c.follower.broken() == reasonDamaged {
		return errDamaged
	}
	return indexFailure(c.follower.index.Ping(ctx))
}

var errDamaged = &Error{Code: Unavailable, Message: "the search index is damaged and is being rebuilt"}

// errNoIndex is the answer of a server without a search index.
var errNoIndex = &Error{Code: Unavailable, Message: "this server has no search index"}

// indexFailure turns an error of the index into one for callers.
func indexFailure(err error) error {
	switch {
	case errors.Is(err, indexer.ErrUnavailable), errors.Is(err, indexer.ErrClosed):
		return &Error{Code: Unavailable, Message: "the search index is not available", Err: err}
	case errors.Is(err, indexer.ErrDamaged):
		return &Error{Code: Unavailable, Message: errDamaged.Message, Err: err}
	case errors.Is(err, indexer.ErrBadToken), errors.Is(err, indexer.ErrTooComplex):
		return &Error{Code: Invalid, Message: err.Error()}
	}
	return storeFailure(err)
}
