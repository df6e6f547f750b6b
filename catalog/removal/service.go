// Package removal removes from the catalog: it deletes entities, values and
// references, describes the runs of ingestion, and rolls runs back. It owns the
// order of such work, its pages, and what a dry run counts. What a deletion or a
// rollback writes is decided in package catalog.
package removal

import (
	"context"
	"log/slog"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// Store is what removals read of the graph.
type Store interface {
	Edges(ctx context.Context, query graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error)
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error)
	Runs(ctx context.Context, query graphstore.RunsQuery) (runs []graphstore.Run, total int64, err error)
	Rows(ctx context.Context, query graphstore.RowQuery) (rows []graphstore.Row, next string, err error)
	RowsOf(ctx context.Context, urns []string) ([]graphstore.Row, error)
	RunTimeSeries(ctx context.Context, runID, after string, limit int) (rows []graphstore.TimeSeriesRow, next string, err error)
	VersionsBefore(ctx context.Context, keys []graphstore.AspectKey, origin graphstore.Origin) ([]*graphstore.Aspect, error)
	TimeSeries(ctx context.Context, query graphstore.TimeSeriesQuery) ([]graphstore.TimeSeriesValue, error)
	ScanEntities(ctx context.Context, after string, limit int) ([]string, error)
	LatestTimeSeries(ctx context.Context, urns, aspects []string) (map[string][]graphstore.TimeSeriesValue, error)
	CountTimeSeries(ctx context.Context, values graphstore.TimeSeriesRange) (int64, error)
}

// Service removes. It is safe for concurrent use.
type Service struct {
	registry *model.Registry
	store    Store
	catalog  *catalog.Catalog
	logger   *slog.Logger
	holders  Holders
}

// New makes a Service that writes through a catalog.
func New(c *catalog.Catalog, store Store, logger *slog.Logger) *Service {
	return &Service{registry: c.Registry(), store: store, catalog: c, logger: logger}
}
