// Package transfer moves a whole catalog with its history: the package writes exports, line by
// line, and imports them. The package decides the format of an export, when an imported entity
// differs from the stored entity, and how failures of single entities are reported. Package
// write decides which versions and values an import writes.
package transfer

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Store is the part of the graph store that exports read, and with which imports compare.
type Store interface {
	ScanEntities(ctx context.Context, after string, limit int) ([]string, error)
	History(ctx context.Context, urns []string) (map[string]graphstore.History, error)
	Holdings(ctx context.Context, urns []string) (map[string]graphstore.Holdings, error)
	TimeSeries(ctx context.Context, query graphstore.TimeSeriesQuery) ([]graphstore.TimeSeriesValue, error)
	EndCursor(ctx context.Context) (string, error)
	Lag(ctx context.Context, after string) (int64, error)
}

// Writer writes imported entities and values.
type Writer interface {
	ParseImported(d model.Dialect, aspect string, text []byte, o catalog.WriteOptions) (*model.Value, error)
	ImportHistories(ctx context.Context, histories []*write.History, o catalog.WriteOptions) error
	ImportValues(ctx context.Context, urns []string, values []graphstore.TimeSeriesValue) error
	Existing(ctx context.Context, urns []model.URN) (map[model.URN]bool, error)
	RequireWritableUnless(ctx context.Context, dryRun bool) error
	Settle(ctx context.Context, o catalog.WriteOptions) error
}

// Service makes exports and imports. Service is safe for concurrent use.
type Service struct {
	store  Store
	names  catalog.Naming
	writer Writer
	now    func() time.Time
	// exports bounds the exports that run at once.
	exports *graphstore.Lane
}

// New makes a Service that reads a store and writes through a writer.
func New(r *model.Registry, w Writer, store Store, now func() time.Time) *Service {
	return &Service{names: catalog.NewNaming(r), store: store, writer: w, now: now, exports: graphstore.NewLane(limits.Exports)}
}
