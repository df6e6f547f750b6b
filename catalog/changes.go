package catalog

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// MaxChanges is the largest page of the change log.
const MaxChanges = limits.MaxChanges

// changePoll is how long a follower sleeps at most: other processes may write
// to the same store.
const changePoll = time.Second

// Readers of the change log at once: followers, such as event streams, which
// all read when something is written, callers who read a page, and the index,
// which waits for neither.
const (
	followingReaders = 2
	changeReaders    = 2
)

// Changes returns the changes after a cursor, "" for the beginning, in order
// per entity, and the cursor to go on from. There may be fewer than the limit
// although the log goes on; no changes are the end of it.
func (c *Catalog) Changes(ctx context.Context, from string, limit int) (changes []graphstore.Change, next string, err error) {
	return c.changesInLane(ctx, c.changeReaders, from, limit)
}

func (c *Catalog) changesInLane(ctx context.Context, lane *graphstore.Lane, from string, limit int) (changes []graphstore.Change, next string, err error) {
	if limit < 1 {
		return nil, "", Errorf(Invalid, "limit must be at least 1")
	}
	leave, err := lane.Enter(ctx)
	if err != nil {
		return nil, "", storeFailure(err)
	}
	defer leave()
	changes, next, err = c.store.Changes(ctx, from, min(limit, MaxChanges))
	return changes, next, storeFailure(err)
}

// EndOfChanges is the cursor after the newest change.
func (c *Catalog) EndOfChanges(ctx context.Context) (string, error) {
	cursor, err := c.store.EndCursor(ctx)
	return cursor, storeFailure(err)
}

// AwaitChanges returns the changes after a cursor as Changes does, but waits
// until there are some, until the context ends, which is no error, or until
// the given time has passed.
func (c *Catalog) AwaitChanges(ctx context.Context, from string, limit int, patience time.Duration) ([]graphstore.Change, string, error) {
	return c.awaitInLane(ctx, c.changeReaders, from, limit, patience)
}

// FollowChanges does the same for a caller who goes on to follow the log. Many
// of them do not keep callers of AwaitChanges waiting.
func (c *Catalog) FollowChanges(ctx context.Context, from string, limit int, patience time.Duration) ([]graphstore.Change, string, error) {
	return c.awaitInLane(ctx, c.followingReaders, from, limit, patience)
}

func (c *Catalog) awaitInLane(ctx context.Context, lane *graphstore.Lane, from string, limit int, patience time.Duration) ([]graphstore.Change, string, error) {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	poll := time.NewTicker(changePoll)
	defer poll.Stop()
	for {
		written := c.written.wait() // before reading, so that no write is missed
		changes, next, err := c.changesInLane(ctx, lane, from, limit)
		if err != nil || len(changes) > 0 {
			return changes, next, err
		}
		select {
		case <-written:
		case <-poll.C:
		case <-deadline.C:
			return changes, next, nil
		case <-ctx.Done():
			return changes, next, nil
		}
	}
}
