// Package history answers how an entity became what it is: timelines of changes
// by category, and the history of a schema's fields. It owns what counts as a
// change, how great it is, and how versions that were rolled back appear. It
// reads stored versions and writes nothing.
package history

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// Store is what timelines read of the graph.
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

// Service answers questions about the past of entities. It is safe for concurrent
// use.
type Service struct {
	registry *model.Registry
	store    Store
	now      func() time.Time
	newest   *newestRecords
}

// New makes a Service; now is the clock of windows that end now.
func New(registry *model.Registry, store Store, now func() time.Time) *Service {
	return &Service{registry: registry, store: store, now: now, newest: newNewestRecords()}
}
