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

// Changes returns the changes after a cursor, "" for the beginning, in order
// per entity, and the cursor to go on from.
func (c *Catalog) Changes(ctx context.Context, from string, limit int) (changes []graphstore.Change, next string, err error) {
	if limit < 1 {
		return nil, "", Errorf(Invalid, "limit must be at least 1")
	}
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
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	poll := time.NewTicker(changePoll)
	defer poll.Stop()
	for {
		written := c.written.wait() // before reading, so that no write is missed
		changes, next, err := c.Changes(ctx, from, limit)
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
