// Package removal deletes entities, values and references, describes the runs of ingestion, and
// rolls runs back. It owns the order of such work, its pages, and the counts of dry runs. Package
// write decides the writes of a deletion or a rollback.
package removal

import (
	"context"
	"log/slog"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// Store is the part of the store that removals read.
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

// Writer deletes and rolls back the entities and values that removals choose, and keeps the records of
// rollbacks.
type Writer interface {
	DeleteEntities(ctx context.Context, entities []model.URN, dryRun bool, o catalog.WriteOptions) ([]write.Deletion, error)
	DeleteValues(ctx context.Context, values graphstore.TimeSeriesRange, actor string) error
	MarkRemoved(ctx context.Context, urns []model.URN, m write.Mark, o catalog.WriteOptions) ([]string, error)
	EditWith(ctx context.Context, edits []write.Edit, properties map[string]string, o catalog.WriteOptions) error
	RollBackEntities(ctx context.Context, entities []write.EntityRows, origin graphstore.Origin, hard bool, actor string) (others int64, err error)
	RecordRollback(ctx context.Context, r *write.RollbackRecord, actor string) error
	RollbackRecords(ctx context.Context) ([]write.RollbackRecord, error)
	Exists(ctx context.Context, u model.URN) (bool, error)
	RequireDeletable(ctx context.Context, urns []model.URN) error
	RequireWritableUnless(ctx context.Context, dryRun bool) error
	Settle(ctx context.Context, o catalog.WriteOptions) error
	SettleIf(ctx context.Context, changed bool, o catalog.WriteOptions) error
	Background(name string, work func(ctx context.Context)) error
}

// Service deletes and rolls back. It is safe for concurrent use.
type Service struct {
	store   Store
	names   catalog.Naming
	writer  Writer
	logger  *slog.Logger
	holders Holders
	// rolledBack, if set, is called after a run was rolled back.
	rolledBack func(ctx context.Context, runID string) error
}

// New makes a Service that reads a store and writes through a writer.
func New(r *model.Registry, w Writer, store Store, logger *slog.Logger) *Service {
	return &Service{names: catalog.NewNaming(r), store: store, writer: w, logger: logger}
}
