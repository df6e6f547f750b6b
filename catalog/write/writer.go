// Package write holds the rules of writing: how a proposal, a snapshot or an edit becomes versions, default
// aspects and edges; and the writes of deletes, rollbacks, imports and replicas. Other rooms decide which
// values are to be written and ask a [Writer] for it, through interfaces of their own. Versions are written
// by a session, which no other package can reach, so that no code writes a version without its edges.
package write

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/broadcast"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/turns"
	"github.com/headwater-io/headwater/model"
)

// MaxAspectBytes is the default size limit of one aspect's JSON text.
const MaxAspectBytes = limits.MaxAspectBytes

// Options configure a Writer. Only Store is required.
type Options struct {
	Registry *model.Registry
	Store    graphstore.Store
	// Shown is the store as callers see it; a nil Shown means Store. The writer asks Shown only
	// what rooms ask the writer: whether an entity exists.
	Shown graphstore.Store
	// Now is the clock for times that the store does not set.
	Now       func() time.Time
	Retention Retention
	Logger    *slog.Logger
	// KeepRolledBack reports whether a rollback keeps, for timelines, the versions of an aspect
	// that it removes. If KeepRolledBack is nil, a rollback keeps none.
	KeepRolledBack func(*model.Aspect) bool
	// MaxAspectBytes limits one aspect's text.
	MaxAspectBytes int
	// ReplicaOf is the address of the source if this server is a replica, and empty otherwise. A
	// replica refuses all writes but [Writer.Mirror] and [Writer.MirrorValues].
	ReplicaOf string
	// ReadOnly is the state at the start, see [Writer.SetReadOnly].
	ReadOnly bool
	// Protect, if set, refuses writes of callers who may not make them.
	Protect Protect
	// Alone tells that no other server can use the store meanwhile.
	Alone bool
}

// Writer writes entities. It is safe for concurrent use.
type Writer struct {
	catalog.Naming
	store     graphstore.Store
	presence  *presence
	shown     graphstore.Store
	now       func() time.Time
	retention Retention
	held      atomic.Bool
	// heldAspects are the aspects of which held has kept versions.
	heldAspects held
	logger      *slog.Logger
	maxAspect   int
	// keepRolledBack is as in [Options].
	keepRolledBack func(*model.Aspect) bool
	unknowns       unknowns
	protect        Protect
	replicaOf      string
	readOnly       atomic.Bool
	// readOnlySet is signalled when readOnly changes.
	readOnlySet broadcast.Broadcast

	written broadcast.Broadcast
	// afterCommit is called with the URNs of every write, or is nil.
	afterCommit func(urns []string)
	// afterWrite is called after every write.
	afterWrite func(context.Context, catalog.WriteOptions) error
	// afterDelete has, by entity type, the functions that are called after complete deletions.
	afterDelete map[string][]func(context.Context, model.URN, catalog.WriteOptions) error
	// afterUnversioned is called after the deletion of a version from its set.
	afterUnversioned func(ctx context.Context, set, version model.URN, o catalog.WriteOptions) error
	turns            *turns.Turns
	gates            gates
	remembered       *remembered
	work             background
	paths            pathWork
}

// WithDefaults returns the options with a default for each member that is not set.
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
	if o.Shown == nil {
		o.Shown = o.Store
	}
	if o.MaxAspectBytes == 0 {
		o.MaxAspectBytes = MaxAspectBytes
	}
	return o
}

// New makes a Writer over a store.
func New(o Options) *Writer {
	o = o.WithDefaults()
	present := &presence{store: o.Store, now: o.Now, alone: o.Alone}
	w := &Writer{
		Naming: catalog.NewNaming(o.Registry), store: &watchedStore{o.Store, present}, presence: present, shown: o.Shown, now: o.Now, retention: o.Retention, logger: o.Logger, maxAspect: o.MaxAspectBytes,
		keepRolledBack: o.KeepRolledBack, turns: newTurns(), gates: newGates(), remembered: newRemembered(),
		replicaOf: o.ReplicaOf, protect: o.Protect,
	}
	w.readOnly.Store(o.ReadOnly)
	w.work.start(o.Logger)
	return w
}

// WithoutAbsent returns a store that answers like a store over the writer's, but is not asked for things of which the
// catalog has none.
func (w *Writer) WithoutAbsent(s graphstore.Store) graphstore.Store {
	return &presentStore{s, w.presence}
}

// Moment is the time of the writer's clock.
func (w *Writer) Moment() time.Time { return w.now() }

// Ping fails when the store cannot serve.
func (w *Writer) Ping(ctx context.Context) error { return catalog.StoreFailure(w.store.Ping(ctx)) }
