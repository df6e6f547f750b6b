// Package search finds entities: it parses what was typed, checks filters against
// the model, and makes a query for the search index from both. It owns the query
// language, browse paths and groups, suggestions, and how saved views narrow a
// search. Documents are written by package follower.
package search

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/model"
)

// Reader is what searches read of the catalog.
type Reader interface {
	EntityType(name string) (*model.Entity, error)
	Aspect(ctx context.Context, u model.URN, aspect string, version int64) (catalog.VersionedAspect, error)
	Entities(ctx context.Context, urns []model.URN, aspects []string) (map[string]catalog.EntityResponse, error)
}

// Follower keeps the index up to date, and is told what searches find wrong with
// it.
type Follower interface {
	// Sighted is called with every error of the index.
	Sighted(err error)
	// CatchUp waits until the index has what was committed before the call, at most
	// for a time. It returns how many changes the index lacks then, a negative
	// number when that is unknown.
	CatchUp(ctx context.Context, atMost time.Duration) int64
	// Existing drops the hits whose entity the store does not have.
	Existing(ctx context.Context, lists ...[]indexer.Hit) ([][]indexer.Hit, error)
}

// Options configure a Service. Without an Index, searches fail.
type Options struct {
	Registry *model.Registry
	Reader   Reader
	Schema   *indexer.Schema
	Index    indexer.Index
	Follower Follower
	// Wait is how long the searches of a request wait for what was written before.
	Wait time.Duration
}

// Service answers searches. It is safe for concurrent use.
type Service struct {
	registry *model.Registry
	reader   Reader
	schema   *indexer.Schema
	index    indexer.Index
	follower Follower
	wait     time.Duration
}

// New makes a Service.
func New(o Options) *Service {
	return &Service{registry: o.Registry, reader: o.Reader, schema: o.Schema, index: o.Index, follower: o.Follower, wait: o.Wait}
}
