// Package catalog holds the rules of writing: what a proposal, a snapshot or an
// edit means, and which versions, default aspects and edges it stores. It also
// has what all rooms share: errors, names, filters and types. The rooms
// are the packages in this folder, each with the rules of one concept. None of
// them depends on HTTP or on an engine.
package catalog

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/turns"
	"github.com/headwater-io/headwater/model"
)

// MaxAspectBytes is the default size limit of one aspect's JSON text.
const MaxAspectBytes = limits.MaxAspectBytes

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

// Moment is the time of the catalog's clock.
func (c *Catalog) Moment() time.Time { return c.now() }

// Ping fails when the store cannot serve.
func (c *Catalog) Ping(ctx context.Context) error { return StoreFailure(c.store.Ping(ctx)) }
