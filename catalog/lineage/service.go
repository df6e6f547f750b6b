// Package lineage answers where data comes from and what depends on it: walks, paths, impact,
// differences between two moments, and columns. The package decides what one hop is, which
// entities a walk passes through, and how answers are cut and paged. The package writes
// nothing.
package lineage

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/parser"
	"github.com/headwater-io/headwater/sql/reads"
)

// Store is the part of the graph store that lineage reads.
type Store interface {
	Entities(ctx context.Context, urns []string) ([]graphstore.Entity, error)
	RemovedAmong(ctx context.Context, urns []string) (map[string]bool, error)
	Edges(ctx context.Context, query graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error)
	Walk(ctx context.Context, query graphstore.WalkQuery) (graphstore.Walk, error)
	Feeders(ctx context.Context, query graphstore.FeederQuery) (map[string][]string, error)
	FarEnds(ctx context.Context, query graphstore.EndQuery) (map[string][]string, error)
	EdgesBetween(ctx context.Context, query graphstore.PairQuery) (map[graphstore.Pair][]graphstore.Edge, error)
	EdgesToParts(ctx context.Context, query graphstore.PartQuery) (graphstore.PartEdges, error)
	WithPrefix(ctx context.Context, prefix string, limit int) ([]string, error)
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error)
	AspectVersions(ctx context.Context, key graphstore.AspectKey, page graphstore.Page) ([]graphstore.Aspect, error)
	ListEntities(ctx context.Context, entityType string, page graphstore.Page) ([]string, int64, error)
}

// Names resolves the names of entity types that callers give, and reads the names of entities.
type Names interface {
	EntityType(name string) (*model.Entity, error)
	Name(ctx context.Context, urns []string) (map[string]read.Named, error)
}

// Timelines returns the changes of entities, and their aspects at a moment.
type Timelines interface {
	AspectsAt(ctx context.Context, urns []string, at int64, aspects []string) (map[string]history.PastAspects, error)
	NodesAt(ctx context.Context, urns []string, at int64) (map[string]history.PastNode, error)
	Changes(ctx context.Context, urns []model.URN, r history.TimelineRequest) (map[model.URN]history.EntityChanges, error)
}

// Searcher finds entities by their documents.
type Searcher interface {
	Search(ctx context.Context, r search.Request) (*search.Result, error)
}

// Edges scans the edges of the graph.
type Edges interface {
	ScanEdges(ctx context.Context, q *read.EdgeScan) (*read.EdgePage, error)
}

// Options configure a Service. All but SQL and Walks are required.
type Options struct {
	Registry *model.Registry
	Store    Store
	Names    Names
	Search   Searcher
	Edges    Edges
	History  Timelines
	// Now is the clock for deadlines and for the present moment.
	Now func() time.Time
	// SQL parses the SQL of readers of columns. Without it, the names in SQL are found by its words.
	SQL *parser.Parser
	// NextRuns, if set, returns when ingestion sources run next by their schedules, epoch milliseconds; sources without
	// a schedule are left out.
	NextRuns func(ctx context.Context, sources []string) (map[string]int64, error)
	// Runs, if set, returns how the runs of ingestion sources have ended; sources without a stored history are left
	// out.
	Runs func(ctx context.Context, sources []string) (map[string]SourceRuns, error)
	// FadingAfter is the number of good runs of a source, none of which states an edge of the source again, after which the edge
	// fades; 0 means never.
	FadingAfter int
	// Walks bounds the walks that run at once; 0 means limits.Walks.
	Walks int
}

// Service answers questions about lineage. Service is safe for concurrent use.
type Service struct {
	registry *model.Registry
	store    Store
	names    Names
	search   Searcher
	edges    Edges
	history  Timelines
	now      func() time.Time
	nextRuns func(ctx context.Context, sources []string) (map[string]int64, error)
	runs     func(ctx context.Context, sources []string) (map[string]SourceRuns, error)
	// fadingAfter is that of Options.
	fadingAfter int
	// walks bounds the walks that run at once.
	walks *graphstore.Lane
	// texts caches how SQL reads columns.
	texts *reads.Texts
	// upstreamSteps and downstreamSteps are the steps of lineage in each direction, including the step between columns.
	upstreamSteps, downstreamSteps []graphstore.Step
}

// Over returns a service that asks another store, such as one with an overlay, and takes the names of entities from names. It
// shares the walks that run at once. Questions about the past are for the service itself.
func (s *Service) Over(store Store, names Names) *Service {
	over := *s
	over.store, over.names = store, names
	return &over
}

// New makes a Service.
func New(o Options) *Service {
	if o.Walks == 0 {
		o.Walks = limits.Walks
	}
	return &Service{
		registry: o.Registry, store: o.Store, names: o.Names, search: o.Search, edges: o.Edges, history: o.History, now: o.Now, nextRuns: o.NextRuns, runs: o.Runs, fadingAfter: o.FadingAfter, walks: graphstore.NewLane(o.Walks), texts: reads.NewTexts(o.SQL),
		upstreamSteps: stepsOf(o.Registry, true), downstreamSteps: stepsOf(o.Registry, false),
	}
}
