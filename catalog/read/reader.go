// Package read answers plain questions about the stored metadata: entities with their aspects
// and versions, relationships, time series, usage, names, labels with who stated them, and the
// states of traced writes. A Reader writes nothing.
package read

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/traces"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/recent"
	"github.com/headwater-io/headwater/model"
)

// Store is the part of the graph store that a Reader reads.
type Store interface {
	Entities(ctx context.Context, urns []string) ([]graphstore.Entity, error)
	ListEntities(ctx context.Context, entityType string, page graphstore.Page) (urns []string, total int64, err error)
	ScanNodes(ctx context.Context, after string, limit int) ([]string, error)
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error)
	AspectVersion(ctx context.Context, key graphstore.AspectKey, version int64) (graphstore.Aspect, bool, error)
	AspectVersions(ctx context.Context, key graphstore.AspectKey, page graphstore.Page) ([]graphstore.Aspect, error)
	CountAspects(ctx context.Context, aspect, urnLike string) (int64, error)
	Edges(ctx context.Context, query graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error)
	TimeSeries(ctx context.Context, query graphstore.TimeSeriesQuery) ([]graphstore.TimeSeriesValue, error)
	TimeSeriesOfMany(ctx context.Context, query graphstore.ManyTimeSeries) ([][]graphstore.TimeSeriesValue, error)
	TimeSeriesOfAll(ctx context.Context, query graphstore.SeriesOfAll) (values []graphstore.TimeSeriesValue, next string, err error)
	LatestTimeSeries(ctx context.Context, urns, aspects []string) (map[string][]graphstore.TimeSeriesValue, error)
}

// Existing tells which entities exist. Writes ask the same question.
type Existing interface {
	Exists(ctx context.Context, u model.URN) (bool, error)
}

// Options configure a Reader.
type Options struct {
	Registry *model.Registry
	Store    Store
	Existing Existing
	// Past reads the values that aspects had at a moment.
	Past func(ctx context.Context, urns []string, at int64, aspects []string) (map[string][]graphstore.Aspect, error)
	Now  func() time.Time
}

// Reader reads entities. Reader is safe for concurrent use.
type Reader struct {
	catalog.Naming
	store    Store
	existing Existing
	past     func(ctx context.Context, urns []string, at int64, aspects []string) (map[string][]graphstore.Aspect, error)
	now      func() time.Time
	// given has the traces that callers chose themselves and that were returned to them.
	given *recent.Map[traces.Trace, struct{}]
}

// New makes a Reader.
func New(o Options) *Reader {
	return &Reader{
		Naming: catalog.NewNaming(o.Registry), store: o.Store, existing: o.Existing, past: o.Past, now: o.Now,
		given: recent.New[traces.Trace, struct{}](limits.GivenTraces),
	}
}
