// Package catalog holds the rules of writing: what a proposal, a snapshot or an
// edit means, and which versions, default aspects and edges it stores. It also
// has what all rooms share: errors, names, filters and types. The rooms
// are the packages in this folder, each with the rules of one concept. None of
// them depends on HTTP or on an engine.
package catalog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/turns"
	"github.com/headwater-io/headwater/model"
)

// MaxAspectBytes is the default size limit of one aspect's JSON text.
const MaxAspectBytes = limits.MaxAspectBytes

// NoRunID is the run of writes that do not name a run.
const NoRunID = "no-run-id-provided"

// systemActorName is the user who is recorded for anonymous writes.
const systemActorName = "__datahub_system"

// Options configure a catalog. Only Store is required.
type Options struct {
	Registry *model.Registry
	Store    graphstore.Store
	// Now is the clock for times that the store does not set.
	Now       func() time.Time
	Retention Retention
	Logger    *slog.Logger
	// KeepRolledBack reports whether a rollback keeps the versions of an aspect
	// that it removes, for timelines; nil means that none are kept.
	KeepRolledBack func(*model.Aspect) bool
	// MaxAspectBytes limits one aspect's text.
	MaxAspectBytes int
	// ReplicaOf is the address of the server that this catalog repeats; then all
	// writes but [Catalog.Repeat] are refused.
	ReplicaOf string
	// ReadOnly is what [Catalog.SetReadOnly] sets.
	ReadOnly bool
}

// Catalog writes entities. The packages in this folder, its rooms,
// answer everything else. It is safe for concurrent use.
type Catalog struct {
	Naming
	store     graphstore.Store
	now       func() time.Time
	retention Retention
	held      atomic.Bool
	logger    *slog.Logger
	maxAspect int
	// keepRolledBack says of which aspects a rollback keeps versions.
	keepRolledBack func(*model.Aspect) bool
	unknowns       unknowns
	replicaOf      string
	readOnly       atomic.Bool
	// readOnlySet is signalled when readOnly changes.
	readOnlySet Broadcast

	written Broadcast
	// afterWrite is called after every write.
	afterWrite func(context.Context, WriteOptions) error
	// afterDelete are called after complete deletions, by entity type.
	afterDelete map[string]func(context.Context, model.URN, WriteOptions) error
	// afterUnversioned is called after the deletion of a version from its set.
	afterUnversioned func(ctx context.Context, set, version model.URN, o WriteOptions) error
	turns            *turns.Turns
	gates            gates
	work             background
	paths            pathWork
}

// WithDefaults returns the options with what is not set filled in.
func (o Options) WithDefaults() Options {
	if o.Registry == nil {
		o.Registry = model.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Retention == nil {
		o.Retention = DefaultRetention()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.MaxAspectBytes == 0 {
		o.MaxAspectBytes = MaxAspectBytes
	}
	return o
}

// New makes a catalog over a store.
func New(o Options) *Catalog {
	o = o.WithDefaults()
	c := &Catalog{
		Naming: NewNaming(o.Registry), store: o.Store, now: o.Now, retention: o.Retention, logger: o.Logger, maxAspect: o.MaxAspectBytes,
		keepRolledBack: o.KeepRolledBack, turns: newTurns(), gates: newGates(),
		replicaOf: o.ReplicaOf,
	}
	c.readOnly.Store(o.ReadOnly)
	c.work.start(o.Logger)
	return c
}

// Ping fails when the store cannot serve.
func (c *Catalog) Ping(ctx context.Context) error { return StoreFailure(c.store.Ping(ctx)) }

// SystemActor is the URN of the actor of anonymous writes in a dialect.
func SystemActor(d model.Dialect) string {
	return "urn:" + d.Namespace + ":corpuser:" + systemActorName
}

// StoreFailure turns an error of the store into one for callers.
func StoreFailure(err error) error {
	var known *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.Is(err, graphstore.ErrUnavailable), errors.Is(err, graphstore.ErrClosed):
		return &Error{Code: Unavailable, Message: "the graph store is not available; nothing was changed", Err: err}
	case errors.Is(err, graphstore.ErrBusy):
		return &Error{Code: Busy, Message: "the server is busy; nothing was changed, try again", Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: Timeout, Message: "the request took too long", Err: err}
	case errors.Is(err, context.Canceled):
		return &Error{Code: Unavailable, Message: "the request was cancelled", Err: err}
	case errors.Is(err, graphstore.ErrLostCursor):
		return &Error{Code: Gone, Message: err.Error() + "; the log was trimmed, or the store was restored from an earlier copy, or the cursor belongs to another store or release: start over"}
	case errors.Is(err, graphstore.ErrAspectsFull):
		return &Error{Code: Invalid, Message: fmt.Sprintf("the store has values of %d aspects that the model does not have, the limit; nothing was changed", limits.MaxUnknownAspects), Err: err}
	case errors.Is(err, graphstore.ErrBadCursor):
		return &Error{Code: Invalid, Message: err.Error()}
	}
	return &Error{Code: Internal, Message: "internal error", Err: err}
}

// Broadcast wakes every goroutine that waits for the next write.
type Broadcast struct {
	mu   sync.Mutex
	next chan struct{}
	// count counts the signals.
	count atomic.Uint64
}

// Wait returns a channel that is closed by the next signal.
func (b *Broadcast) Wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

// Count returns how many signals there were.
func (b *Broadcast) Count() uint64 { return b.count.Load() }

// Signal wakes everybody who waits.
func (b *Broadcast) Signal() {
	b.count.Add(1) // before waiters wake, because they compare it
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}
