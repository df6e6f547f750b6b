package ingestion

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/secrets"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/broadcast"
	"github.com/headwater-io/headwater/model"
)

// Manage is the privilege of the platform that permits to manage and run sources.
const Manage = "MANAGE_INGESTION"

// The privileges of single sources. They permit for one source the same acts that [Manage] permits for all.
const (
	deleteSource = "DELETE_ENTITY"
	runSource    = "EXECUTE_ENTITY"
)

// Store is the part of the store that sources and runs are read from.
type Store interface {
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error)
	ListEntities(ctx context.Context, entityType string, page graphstore.Page) (urns []string, total int64, err error)
}

// Writer writes sources and runs.
type Writer interface {
	Create(ctx context.Context, urn model.URN, aspects map[string]catalog.Tree, o catalog.WriteOptions) error
	Edit(ctx context.Context, edits []write.Edit, o catalog.WriteOptions) error
	EditWith(ctx context.Context, edits []write.Edit, properties map[string]string, o catalog.WriteOptions) error
	DeleteEntities(ctx context.Context, entities []model.URN, dryRun bool, o catalog.WriteOptions) ([]write.Deletion, error)
	Exists(ctx context.Context, u model.URN) (bool, error)
	RequireWritable(ctx context.Context) error
	Settle(ctx context.Context, o catalog.WriteOptions) error
}

// SecretReader decrypts the secrets of recipes.
type SecretReader interface {
	RequireProgram(ctx context.Context, done string) error
	ForRun(ctx context.Context, names []string) ([]secrets.Value, error)
}

// Options configure a Service. All options but WrittenBy and Jitter are required.
type Options struct {
	Registry *model.Registry
	// Shown is the part of the store that callers see; Store is the whole store.
	Shown, Store Store
	Writer       Writer
	Records      *records.Door
	Secrets      SecretReader
	Now          func() time.Time
	Logger       *slog.Logger
	// WrittenBy returns the entities that a pipeline has written and that are not removed, and whether there are more.
	// Without it, nobody is told which entities a run did not see.
	WrittenBy func(ctx context.Context, pipeline string) ([]Written, bool, error)
	// Jitter spreads scheduled runs: each source runs up to Jitter later than its schedule says, by a part of
	// it that is always the same for one source.
	Jitter time.Duration
}

// Service keeps ingestion sources, and gives their runs to executors. It is safe for concurrent use, also by
// several servers over one store.
type Service struct {
	Options
	// runs has a record for each run that waits or goes on, named after its source, so that a source never
	// has two. schedules has a record for each source with a schedule, and due one that is named after the
	// moment of its next run, so that due sources are found without reading the others.
	runs      records.Records[run]
	schedules records.Records[planned]
	due       records.Records[string]
	// histories has a record for each source of which a run has ended.
	histories records.Records[History]
	// changed is signalled when there may be something to claim.
	changed broadcast.Broadcast
	waiting atomic.Int64
	sweeps  sweeps
}

// sweeps is how far the looking around of [Service.sweep] has come.
type sweeps struct {
	mu                sync.Mutex
	last              time.Time
	sources, requests int
}

// New makes a Service.
func New(o Options) *Service {
	return &Service{
		Options: o, runs: records.Of[run](o.Records, records.IngestionRuns),
		schedules: records.Of[planned](o.Records, records.IngestionSchedules), due: records.Of[string](o.Records, records.IngestionDue),
		histories: records.Of[History](o.Records, records.IngestionHistories),
	}
}

// require fails with Forbidden unless the caller may manage all sources, or has a privilege of one. The text
// done continues the sentence "You may not".
func (s *Service) require(ctx context.Context, done string, source model.URN, privilege string) error {
	if source.IsZero() {
		return permission.Require(ctx, done, Manage)
	}
	return permission.RequireFor(ctx, done, permission.About(source, Manage, privilege))
}

// seen shows callers the sources and runs that they may see: those who may manage all sources need no privilege to see them.
type seen struct{ *Service }

func (s seen) ListEntities(ctx context.Context, entityType string, page graphstore.Page) ([]string, int64, error) {
	return s.Shown.ListEntities(ctx, entityType, page)
}

func (s seen) LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error) {
	found, err := s.Shown.LatestAspects(ctx, urns, names)
	lacking := func(urn string) bool { return len(found[urn]) == 0 }
	if err == nil && slices.ContainsFunc(urns, lacking) && permission.Holds(ctx, Manage) {
		return s.Store.LatestAspects(ctx, urns, names)
	}
	return found, err
}

// requireExecutor fails unless the caller is a program that may run sources, and the server may write.
func (s *Service) requireExecutor(ctx context.Context) error {
	if err := permission.Require(ctx, "run ingestion sources", Manage); err != nil {
		return err
	}
	if err := s.Secrets.RequireProgram(ctx, "take runs of ingestion sources"); err != nil {
		return err
	}
	return s.Writer.RequireWritable(ctx)
}

// latest returns the latest aspects of an entity by their names.
func latest(ctx context.Context, store Store, urn string, names ...string) (map[string]*graphstore.Aspect, error) {
	stored, err := store.LatestAspects(ctx, []string{urn}, names)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	found := map[string]*graphstore.Aspect{}
	for i := range stored[urn] {
		found[stored[urn][i].Name] = &stored[urn][i]
	}
	return found, nil
}
