package changelog

import (
	"context"
	"slices"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
)

// These bound the callers that read the change log at once. followingReaders bounds followers,
// such as event streams, which all read when something is written; changeReaders bounds callers
// who read a page. The search index reads the log outside of both bounds.
const (
	followingReaders = 2
	changeReaders    = 2
)

// Changes returns the changes after a cursor, in order for each entity, and the cursor to
// continue from. The cursor "" stands for the beginning of the log. A page may have fewer
// changes than the limit although more follow. A page without changes is the end of the log.
func (l *Log) Changes(ctx context.Context, from string, limit int) (changes []catalog.Change, next string, err error) {
	for {
		stored, next, err := changesInLane(ctx, l.changeReaders, l.storedChanges, from, limit)
		if err != nil || len(stored) == 0 {
			return changesOf(stored), next, err
		}
		shown, err := l.shown(ctx, stored)
		if err != nil || len(shown) > 0 {
			return changesOf(shown), next, err
		}
		from = next
	}
}

// readChanges is a method that reads a page of the log: Changes or ChangesWithoutValues of
// [graphstore.ChangeLog].
type readChanges func(ctx context.Context, after string, limit int) ([]graphstore.Change, string, error)

func (l *Log) storedChanges(ctx context.Context, after string, limit int) ([]graphstore.Change, string, error) {
	return l.store.Changes(ctx, after, limit)
}

func (l *Log) storedHeads(ctx context.Context, after string, limit int) ([]graphstore.Change, string, error) {
	return l.store.ChangesWithoutValues(ctx, after, limit)
}

// changesInLane reads a page without the notes that are only for replicas. If a page has
// nothing but notes, changesInLane frees its place in the lane and reads the next page, as
// often as needed.
func changesInLane(ctx context.Context, lane *graphstore.Lane, read readChanges, from string, limit int) ([]graphstore.Change, string, error) {
	if limit < 1 {
		return nil, "", catalog.Errorf(catalog.Invalid, "limit must be at least 1")
	}
	for {
		changes, next, err := onePageInLane(ctx, lane, read, from, min(limit, catalog.MaxChanges))
		stored := len(changes)
		changes = slices.DeleteFunc(changes, func(c graphstore.Change) bool { return c.Kind == graphstore.ChangeNote })
		if err != nil || stored == 0 || len(changes) > 0 {
			return changes, next, catalog.StoreFailure(err)
		}
		from = next
	}
}

func onePageInLane(ctx context.Context, lane *graphstore.Lane, read readChanges, from string, limit int) ([]graphstore.Change, string, error) {
	leave, err := lane.Enter(ctx)
	if err != nil {
		return nil, "", err
	}
	defer leave()
	return read(ctx, from, limit)
}

// EndOfChanges returns the cursor after the newest change.
func (l *Log) EndOfChanges(ctx context.Context) (string, error) {
	cursor, err := l.store.EndCursor(ctx)
	return cursor, catalog.StoreFailure(err)
}

// OldestChanges returns the first cursor from which the log can be read, "" if the log has its
// beginning.
func (l *Log) OldestChanges(ctx context.Context) (string, error) {
	cursor, err := l.store.OldestCursor(ctx)
	return cursor, catalog.StoreFailure(err)
}

// AwaitChanges returns the changes after a cursor as Changes does, but if there are no changes,
// AwaitChanges waits for some. The wait ends after the given time, and when the context ends,
// which is no error.
func (l *Log) AwaitChanges(ctx context.Context, from string, limit int, patience time.Duration) ([]catalog.Change, string, error) {
	written := l.writes.Wait() // waiting for writes begins before the log is read, so that no write is missed
	changes, next, err := l.Changes(ctx, from, limit)
	if err != nil || len(changes) > 0 {
		return changes, next, err
	}
	expires := time.Now().Add(patience)
	if !l.awaitWrite(ctx, written, expires) {
		return changes, next, nil
	}
	stored, next, err := l.awaitShared(ctx, l.awaiting, next, limit, expires)
	return changesOf(stored), next, err
}

// FollowChanges is AwaitChanges for a caller that keeps following the log. Many such callers
// together read the log about as often as one, and do not delay callers of AwaitChanges. They
// see writes of other processes a moment later.
func (l *Log) FollowChanges(ctx context.Context, from string, limit int, patience time.Duration) ([]catalog.Change, string, error) {
	if limit < 1 {
		return nil, "", catalog.Errorf(catalog.Invalid, "limit must be at least 1")
	}
	stored, next, err := l.awaitShared(ctx, l.following, from, limit, time.Now().Add(patience))
	return changesOf(stored), next, err
}

// FollowChangeHeads is FollowChanges without the values, which takes a fraction of the time.
func (l *Log) FollowChangeHeads(ctx context.Context, from string, limit int, patience time.Duration) ([]catalog.ChangeHead, string, error) {
	if limit < 1 {
		return nil, "", catalog.Errorf(catalog.Invalid, "limit must be at least 1")
	}
	stored, next, err := l.awaitShared(ctx, l.heads, from, limit, time.Now().Add(patience))
	return headsOf(stored), next, err
}

func (l *Log) awaitShared(ctx context.Context, shared *sharedLog, from string, limit int, expires time.Time) ([]graphstore.Change, string, error) {
	for {
		written := l.writes.Wait() // waiting for writes begins before the log is read, so that no write is missed
		changes, next, err := shared.read(ctx, from, limit, l.moment())
		read := len(changes)
		if err == nil {
			changes, err = l.shown(ctx, changes)
		}
		if err != nil || len(changes) > 0 || read == 0 && !l.awaitWrite(ctx, written, expires) {
			return changes, next, err
		}
		from = next // the page had only notes, or changes that the caller may not see
	}
}

// awaitWrite waits for the next write of this process, or for the next tick, because other
// processes may write to the same store. awaitWrite returns false if the time is up or the
// context has ended.
func (l *Log) awaitWrite(ctx context.Context, written <-chan struct{}, expires time.Time) bool {
	left := time.Until(expires)
	timer := time.NewTimer(min(left, l.untilTick()))
	defer timer.Stop()
	select {
	case <-written:
		return time.Now().Before(expires)
	case <-timer.C:
		return time.Now().Before(expires)
	case <-ctx.Done():
		return false
	}
}

// LogLength returns the number of changes in the change log. If there are many, the number may
// be slightly too large. The time of the call does not depend on the length of the log.
func (l *Log) LogLength(ctx context.Context) (int64, error) {
	n, err := l.store.Lag(ctx, "")
	return n, catalog.StoreFailure(err)
}
