// Package quality answers whether data is fresh and whether its checks pass. An answer has the
// last reported change, the last profile, the assertions about an entity with their last
// results, and the incidents that are not resolved. The package decides which evaluations count
// as results, and which assertions belong to an entity. It writes nothing.
package quality

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// Store is the part of the graph store that a Service reads.
type Store interface {
	Entities(ctx context.Context, urns []string) ([]graphstore.Entity, error)
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error)
	Edges(ctx context.Context, query graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error)
	TimeSeriesOfMany(ctx context.Context, query graphstore.ManyTimeSeries) ([][]graphstore.TimeSeriesValue, error)
	LatestTimeSeries(ctx context.Context, urns, aspects []string) (map[string][]graphstore.TimeSeriesValue, error)
}

// Past reads the values that aspects had at a moment.
type Past interface {
	AspectsAt(ctx context.Context, urns []string, at int64, aspects []string) (map[string]history.PastAspects, error)
}

// Service answers questions about the state of data. It is safe for concurrent use.
type Service struct {
	registry *model.Registry
	store    Store
	past     Past
	now      func() time.Time
}

// New makes a Service; now is the clock of the answers.
func New(registry *model.Registry, store Store, past Past, now func() time.Time) *Service {
	return &Service{registry: registry, store: store, past: past, now: now}
}
