// Package edits makes the changes that people make one at a time: tags, terms, owners,
// descriptions, domains, glossaries, data products, views, versions. The package decides which
// aspect an edit changes, and which entities must exist before. Package write writes the
// aspect, as it writes all aspects.
package edits

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// Store is the part of the store that edits read.
type Store interface {
	Edges(ctx context.Context, query graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error)
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error)
}

// Reader reads aspects.
type Reader interface {
	Aspect(ctx context.Context, u model.URN, aspect string, version int64) (catalog.VersionedAspect, error)
}

// Searcher finds entities, and checks the filters of views.
type Searcher interface {
	Search(ctx context.Context, r search.Request) (*search.Result, error)
	CheckFilter(types []string, f *catalog.Filter) error
}

// Remover deletes entities and the statements of other entities about them.
type Remover interface {
	Delete(ctx context.Context, u model.URN, dryRun bool, o catalog.WriteOptions) (write.Deletion, error)
	DeleteEntity(ctx context.Context, u model.URN, types []string, o catalog.WriteOptions) error
}

// Writer writes the changed aspects.
type Writer interface {
	Create(ctx context.Context, urn model.URN, aspects map[string]catalog.Tree, o catalog.WriteOptions) error
	Edit(ctx context.Context, edits []write.Edit, o catalog.WriteOptions) error
	EditOrTry(ctx context.Context, edits []write.Edit, dryRun bool, o catalog.WriteOptions) (changed bool, err error)
	Ingest(ctx context.Context, p write.Proposal, o catalog.WriteOptions) (write.Result, error)
	IngestTogether(ctx context.Context, proposals []write.Proposal, o catalog.WriteOptions) error
	Exists(ctx context.Context, u model.URN) (bool, error)
	Existing(ctx context.Context, urns []model.URN) (map[model.URN]bool, error)
	RequireExisting(ctx context.Context, urns ...model.URN) error
	RequirePermitted(ctx context.Context, edits []write.Edit) error
	RequireDeletable(ctx context.Context, urns []model.URN) error
	RequireIngestible(ctx context.Context, proposals []write.Proposal) error
	RequireWritableUnless(ctx context.Context, dryRun bool) error
}

// Options configure a Service. All options are required.
type Options struct {
	Registry *model.Registry
	Writer   Writer
	Reader   Reader
	Store    Store
	Search   Searcher
	Removal  Remover
	// Now is the clock for the times in edits.
	Now func() time.Time
}

// Service makes edits. It is safe for concurrent use.
type Service struct {
	store   Store
	names   catalog.Naming
	writer  Writer
	reader  Reader
	search  Searcher
	removal Remover
	now     func() time.Time
}

// New makes a Service.
func New(o Options) *Service {
	return &Service{names: catalog.NewNaming(o.Registry), store: o.Store, writer: o.Writer, reader: o.Reader, search: o.Search, removal: o.Removal, now: o.Now}
}
