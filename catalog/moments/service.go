// Package moments answers how an entity was at a moment, with the names that other entities had then, lists
// the changes since, and restores a former state. The package decides which parts of an answer cannot be
// given as of the moment, and which aspects a restoration leaves out.
package moments

import (
	"context"
	"encoding/json"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// Store is the part of the graph store that moments read.
type Store interface {
	AspectVersion(ctx context.Context, key graphstore.AspectKey, version int64) (graphstore.Aspect, bool, error)
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error)
	TimeSeries(ctx context.Context, query graphstore.TimeSeriesQuery) ([]graphstore.TimeSeriesValue, error)
}

// Reader reads the present, and derives details from aspects.
type Reader interface {
	Details(ctx context.Context, u model.URN) (*read.Details, error)
	DetailsOf(ctx context.Context, u model.URN, stored catalog.StoredEntity, containerOf func(context.Context, string) (json.RawMessage, error)) (*read.Details, error)
	Name(ctx context.Context, urns []string) (map[string]read.Named, error)
}

// Past reads the past.
type Past interface {
	State(ctx context.Context, u model.URN, at int64, aspects []string) (*history.PastEntity, error)
	AspectsAt(ctx context.Context, urns []string, at int64, aspects []string) (map[string]history.PastAspects, error)
	NodesAt(ctx context.Context, urns []string, at int64) (map[string]history.PastNode, error)
}

// Lineage describes changes in words, and counts the neighbours of columns.
type Lineage interface {
	Changes(ctx context.Context, r lineage.ChangesRequest) (*lineage.Changes, error)
	ColumnCounts(ctx context.Context, u model.URN, asOf int64) (counts []lineage.ColumnCount, partial string, err error)
}

// Writer writes the restored values.
type Writer interface {
	RequirePermitted(ctx context.Context, edits []write.Edit) error
	Edit(ctx context.Context, edits []write.Edit, o catalog.WriteOptions) error
	IngestWhole(ctx context.Context, proposals []write.Proposal, o catalog.WriteOptions) ([]write.BatchItem, error)
	TryWhole(ctx context.Context, proposals []write.Proposal, o catalog.WriteOptions) error
	RequireWritableUnless(ctx context.Context, dryRun bool) error
}

// Options configure a Service. All options are required.
type Options struct {
	Registry *model.Registry
	// Store and Past answer as the caller sees the catalog.
	Store Store
	Past  Past
	// Whole and WholePast answer as if the caller saw everything. They are read only to restore.
	Whole     Store
	WholePast Past
	Reader    Reader
	Lineage   Lineage
	Writer    Writer
	// Now is the clock for the present moment.
	Now func() time.Time
}

// Service answers questions about moments. It is safe for concurrent use.
type Service struct {
	registry *model.Registry
	store    Store
	past     Past
	seen     view
	whole    view
	reader   Reader
	lineage  Lineage
	writer   Writer
	now      func() time.Time
}

// New makes a Service.
func New(o Options) *Service {
	return &Service{
		registry: o.Registry, store: o.Store, past: o.Past, seen: view{o.Store, o.Past}, whole: view{o.Whole, o.WholePast},
		reader: o.Reader, lineage: o.Lineage, writer: o.Writer, now: o.Now,
	}
}
