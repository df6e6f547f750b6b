// Package history answers how an entity came to its present state: timelines of changes by
// category, and the history of a schema's fields. The package decides which difference is a
// change, how great the change is, and how rolled-back versions appear. The package reads
// stored versions and writes nothing.
package history

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// Store is the part of the graph store that timelines read.
type Store interface {
	AspectVersion(ctx context.Context, key graphstore.AspectKey, version int64) (graphstore.Aspect, bool, error)
	AspectVersions(ctx context.Context, key graphstore.AspectKey, page graphstore.Page) ([]graphstore.Aspect, error)
	TimeSeries(ctx context.Context, query graphstore.TimeSeriesQuery) ([]graphstore.TimeSeriesValue, error)
	TimeSeriesOfMany(ctx context.Context, query graphstore.ManyTimeSeries) ([][]graphstore.TimeSeriesValue, error)
	History(ctx context.Context, urns []string) (map[string]graphstore.History, error)
	HistoryBytes(ctx context.Context, urns []string) (map[string]int64, error)
	NewestChanges(ctx context.Context, part graphstore.LogPart, limit int) (changes []graphstore.Change, rest string, err error)
	EndCursor(ctx context.Context) (string, error)
}

// Service answers questions about the past of entities. Service is safe for concurrent use.
type Service struct {
	registry *model.Registry
	store    Store
	now      func() time.Time
	newest   *newestRecords
}

// New makes a Service. The clock now gives the end of time windows that end at the present.
func New(registry *model.Registry, store Store, now func() time.Time) *Service {
	return &Service{registry: registry, store: store, now: now, newest: newNewestRecords()}
}
