// Package derived keeps the lineage that the server reads from SQL which the catalog stores: definitions of views, code of
// dbt, statements of jobs, saved queries. The lineage is in aspects of its own (derivedLineage, derivedSubjects), so that no
// client's write loses or doubles it. It has only lineage that the clients' own statements lack.
//
// The package is a follower of the change log (package delivery). When it begins, it goes through the whole catalog once.
package derived

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
	"github.com/headwater-io/headwater/sql/parser"
)

// Follower is the name of the derivation among the followers of the change log.
const Follower = "sql-lineage"

// Store is the part of the graph store that is read.
type Store interface {
	Entities(ctx context.Context, urns []string) ([]graphstore.Entity, error)
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error)
	ScanEntities(ctx context.Context, after string, limit int) ([]string, error)
	Edges(ctx context.Context, query graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error)
}

// Writer writes the derived aspects.
type Writer interface {
	EditWith(ctx context.Context, edits []write.Edit, properties map[string]string, o catalog.WriteOptions) error
}

// Log is the part of the change log that is read.
type Log interface {
	FollowChangeHeads(ctx context.Context, from string, limit int, patience time.Duration) ([]catalog.ChangeHead, string, error)
}

// Followers runs and removes followers of the change log.
type Followers interface {
	Run(ctx context.Context, w delivery.Worker) error
	Cursor(ctx context.Context, name string) (string, bool, error)
	Remove(ctx context.Context, name string) error
}

// Options configure a Service. All are required but Parser and Patience.
type Options struct {
	Registry  *model.Registry
	Store     Store
	Writer    Writer
	Log       Log
	Followers Followers
	Records   *records.Door
	Logger    *slog.Logger
	// Parser parses SQL. Without it, no text is understood.
	Parser *parser.Parser
	// Patience is how long the SQL of one entity is read; 0 means limits.SQLDeriveTime.
	Patience time.Duration
	// Turn, if set, waits for a turn to read SQL for a caller; leave ends the turn.
	Turn func(ctx context.Context) (leave func(), err error)
}

// Service derives lineage from SQL. It is safe for concurrent use.
type Service struct {
	Options
	reader lineage.Reader
	// sweep is one record. waits has a record <table>/<entity> for each entity whose SQL names a table that the
	// catalog does not have.
	sweep records.Records[sweep]
	waits records.Records[struct{}]
	told  [len(outcomes)]atomic.Int64
	// down: the parser did not run for a text.
	down atomic.Bool
}

// New makes a Service.
func New(o Options) *Service {
	o.Patience = cmp.Or(o.Patience, limits.SQLDeriveTime)
	return &Service{
		Options: o, reader: lineage.Reader{Parser: o.Parser},
		sweep: records.Of[sweep](o.Records, records.DerivedSweep), waits: records.Of[struct{}](o.Records, records.DerivedWaits),
	}
}

// Outcome is the result for the SQL of one entity.
type Outcome int

// The outcomes.
const (
	// None: the entity has no SQL, or its SQL says nothing that is not stated. An earlier derivation was removed.
	None Outcome = iota
	// Derived: the derived aspect is up to date.
	Derived
	// NotUnderstood: the SQL is a template, has errors, or its dialect is not known.
	NotUnderstood
	// TooLong: the SQL is longer than is read, or reading it took too long.
	TooLong
	// Failed: the parser does not run, or the catalog refused the lineage.
	Failed
)

var outcomes = [...]string{"none", "derived", "not_understood", "too_long", "failed"}

func (o Outcome) String() string { return outcomes[o] }

// Counts returns how often each outcome came since the start of this server, by the name of the outcome.
func (s *Service) Counts() map[string]int64 {
	counts := make(map[string]int64, len(outcomes))
	for i, name := range outcomes {
		counts[name] = s.told[i].Load()
	}
	return counts
}

// Mode is a server's use of derived lineage.
type Mode struct {
	// Remove: derived lineage is taken back, and none is derived.
	Remove bool
	// Prefer: where a client's SQL parser has stated other lineage than the reading of the same SQL, the reading holds.
	Prefer bool
}

// Run derives lineage, or takes it back, until the context ends.
func (s *Service) Run(ctx context.Context, mode Mode) error {
	f := &follower{Service: s, mode: mode}
	return s.Followers.Run(ctx, delivery.Worker{Name: Follower, Start: delivery.Now, Page: pageSize, Read: f.read})
}

// Forget ends the following of the change log, so that the log need not be kept for it. The derived lineage stays as it
// is. The next Run goes through the whole catalog.
func (s *Service) Forget(ctx context.Context) error {
	_, known, err := s.Followers.Cursor(ctx, Follower)
	if err != nil || !known {
		return err
	}
	if err := s.sweep.Forget(ctx, ""); err != nil {
		return err
	}
	return s.Followers.Remove(ctx, Follower)
}
