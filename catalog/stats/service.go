// Package stats makes tables of time-series values: it groups the values of one aspect by time
// windows and fields, and aggregates them. The package decides what a metric and a group are,
// and how much one table may read. Package write writes the values.
package stats

import (
	"context"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// Store is the part of the graph store that tables read.
type Store interface {
	ListEntities(ctx context.Context, entityType string, page graphstore.Page) (urns []string, total int64, err error)
	TimeSeries(ctx context.Context, query graphstore.TimeSeriesQuery) ([]graphstore.TimeSeriesValue, error)
}

// Names resolves the names that callers give.
type Names interface {
	EntityType(name string) (*model.Entity, error)
	Spelled(text string) string
}

// Service makes tables. Service is safe for concurrent use.
type Service struct {
	registry *model.Registry
	store    Store
	names    Names
	// lane bounds the tables that are made at once.
	lane *graphstore.Lane
}

// New makes a Service.
func New(registry *model.Registry, store Store, names Names) *Service {
	return &Service{registry: registry, store: store, names: names, lane: graphstore.NewLane(statsAtOnce)}
}
