package changelog

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
)

// AwaitNotes returns the changes after a cursor without their values, including notes. If there
// are no changes, AwaitNotes waits for some. The wait ends after the given time, and when the
// context ends, which is no error.
func (l *Log) AwaitNotes(ctx context.Context, from string, limit int, patience time.Duration) (changes []graphstore.Change, next string, err error) {
	if limit < 1 || limit > catalog.MaxChanges {
		return nil, "", catalog.Errorf(catalog.Invalid, "limit must be 1 to %d", catalog.MaxChanges)
	}
	for expires := time.Now().Add(patience); ; {
		written := l.writes.Wait() // waiting for writes begins before the log is read, so that no write is missed
		changes, next, err = l.notes(ctx, from, limit)
		if err != nil || len(changes) > 0 || !l.awaitWrite(ctx, written, expires) {
			return changes, next, err
		}
	}
}

func (l *Log) notes(ctx context.Context, from string, limit int) ([]graphstore.Change, string, error) {
	leave, err := l.replicaReaders.Enter(ctx)
	if err != nil {
		return nil, "", catalog.StoreFailure(err)
	}
	defer leave()
	changes, next, err := l.store.ChangesWithoutValues(ctx, from, limit)
	return changes, next, catalog.StoreFailure(err)
}
