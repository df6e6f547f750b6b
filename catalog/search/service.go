// Package search finds entities. The package parses inputs, checks filters against the model,
// and makes queries for the search index from both. The package decides the query language,
// browse paths and groups, suggestions, and how saved views narrow a search. Package follower
// writes the documents of the index.
package search

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/model"
)

// Reader reads the catalog for searches.
type Reader interface {
	EntityType(name string) (*model.Entity, error)
	Aspect(ctx context.Context, u model.URN, aspect string, version int64) (catalog.VersionedAspect, error)
	Entities(ctx context.Context, urns []model.URN, aspects []string) (map[string]catalog.EntityResponse, error)
}

// Follower keeps the index up to date. Searches report to it the faults that they find in the
// index.
type Follower interface {
	// Sighted receives every error of the index.
	Sighted(err error)
	// CatchUp waits, at most for a time, until the index has all changes that were committed
	// before the call. CatchUp returns the number of changes that the index lacks after the wait,
	// negative if the number is unknown.
	CatchUp(ctx context.Context, atMost time.Duration) int64
	// Existing removes hits whose entity the store does not have.
	Existing(ctx context.Context, lists ...[]indexer.Hit) ([][]indexer.Hit, error)
}

// Options configure a Service. Without an Index, every search fails.
type Options struct {
	Registry *model.Registry
	Reader   Reader
	Schema   *indexer.Schema
	Index    indexer.Index
	Follower Follower
	// Wait bounds how long the searches of one request wait for changes that were written before
	// it.
	Wait time.Duration
	// Whole, if set, makes a context in which nothing is hidden. Each search reads the life-cycle stages in it, which saves the
	// index the condition of the caller's rights. The search itself leaves out stages that the caller may not see.
	Whole func(context.Context) context.Context
}

// Service answers searches. Service is safe for concurrent use.
type Service struct {
	registry *model.Registry
	reader   Reader
	schema   *indexer.Schema
	index    indexer.Index
	follower Follower
	wait     time.Duration
	whole    func(context.Context) context.Context
}

// New makes a Service.
func New(o Options) *Service {
	if o.Whole == nil {
		o.Whole = func(ctx context.Context) context.Context { return ctx }
	}
	return &Service{registry: o.Registry, reader: o.Reader, schema: o.Schema, index: o.Index, follower: o.Follower, wait: o.Wait, whole: o.Whole}
}
