// Package changelog reads the log of all writes: pages of changes, with or without values, for
// callers that read once, callers that wait, and callers that follow the log. The store writes
// the log in the transaction of each change.
package changelog

import (
	"context"
	"log/slog"
	"time"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/broadcast"
)

// Store is the part of the graph store that a Log reads.
type Store interface {
	Changes(ctx context.Context, after string, limit int) ([]graphstore.Change, string, error)
	ChangesWithoutValues(ctx context.Context, after string, limit int) ([]graphstore.Change, string, error)
	EndCursor(ctx context.Context) (string, error)
	OldestCursor(ctx context.Context) (string, error)
	NewestTime(ctx context.Context) (int64, error)
	Lag(ctx context.Context, after string) (int64, error)
}

// Writer makes the writes that the log records.
type Writer interface {
	// Written is signalled after every write of this process.
	Written() *broadcast.Broadcast
	// Background runs work that may last longer than the request that began it. Background ends
	// the work when the server stops.
	Background(name string, work func(ctx context.Context)) error
}

// Options configure a Log.
type Options struct {
	Store  Store
	Writer Writer
	// Shown, if set, returns the changes that the caller of a request may see. It does not change
	// the given changes, which several followers share.
	Shown func(ctx context.Context, changes []graphstore.Change) ([]graphstore.Change, error)
	// Now is the machine's clock.
	Now    func() time.Time
	Logger *slog.Logger
}

// Log reads the change log. Log is safe for concurrent use.
type Log struct {
	store  Store
	writes *broadcast.Broadcast
	shown  func(ctx context.Context, changes []graphstore.Change) ([]graphstore.Change, error)
	run    func(name string, work func(ctx context.Context)) error
	now    func() time.Time
	logger *slog.Logger

	// changeReaders bounds the callers that read the log at once.
	changeReaders *graphstore.Lane
	// replicaReaders bounds the replicas that read the log at once.
	replicaReaders *graphstore.Lane
	// following is shared by the followers of the log, awaiting by callers of AwaitChanges.
	following, awaiting *sharedLog
	// heads is shared by the followers that read the log without values.
	heads *sharedLog
	began time.Time
}

// New makes a Log.
func New(o Options) *Log {
	if o.Shown == nil {
		o.Shown = func(_ context.Context, changes []graphstore.Change) ([]graphstore.Change, error) { return changes, nil }
	}
	l := &Log{
		shown: o.Shown,
		store: o.Store, writes: o.Writer.Written(), run: o.Writer.Background, now: o.Now, logger: o.Logger,
		changeReaders: graphstore.NewLane(changeReaders), replicaReaders: graphstore.NewLane(changeReaders), began: time.Now(),
	}
	follow := graphstore.NewLane(followingReaders)
	l.following = &sharedLog{log: l, lane: follow, from: l.storedChanges}
	l.heads = &sharedLog{log: l, lane: follow, from: l.storedHeads}
	l.awaiting = &sharedLog{log: l, lane: l.changeReaders, from: l.storedChanges}
	return l
}
