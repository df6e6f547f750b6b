// Package sqlqueries relates a text of SQL to the catalog: the tables and columns that it reads,
// whose they are, which of them are personal data, and whether the text still runs. The package decides which
// tables and columns count as gone, and how sure that is. It writes nothing.
package sqlqueries

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/model"
	sqllineage "github.com/headwater-io/headwater/sql/lineage"
	"github.com/headwater-io/headwater/sql/parser"
)

// Store is the part of the graph store that is read for the present.
type Store interface {
	Entities(ctx context.Context, urns []string) ([]graphstore.Entity, error)
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error)
}

// Past reads the past.
type Past interface {
	AspectsAt(ctx context.Context, urns []string, at int64, aspects []string) (map[string]history.PastAspects, error)
	DroppedColumns(ctx context.Context, u model.URN, columns []string, at int64) (map[string]history.Drop, error)
}

// Names returns the names of entities.
type Names interface {
	Name(ctx context.Context, urns []string) (map[string]read.Named, error)
}

// Lineage knows the labels of personal data, and the addresses of owners.
type Lineage interface {
	PersonalLabels(ctx context.Context) (labels []string, partial string, err error)
	NameOwners(ctx context.Context, urns []string) ([]lineage.ImpactOwner, error)
}

// Search finds entities with names that are near to an unknown one.
type Search interface {
	WithNearest(ctx context.Context, err error) error
}

// Options configure a Service. All are required but Parser.
type Options struct {
	Registry *model.Registry
	// Store, Past, Names, Lineage and Search answer as the caller sees the catalog.
	Store   Store
	Past    Past
	Names   Names
	Lineage Lineage
	Search  Search
	// Parser parses SQL. Without it, questions fail with Unavailable.
	Parser *parser.Parser
}

// Service answers questions about SQL. It is safe for concurrent use.
type Service struct {
	Options
	naming catalog.Naming
	// lane bounds the questions that are answered at once; waiting counts the questions that are answered or wait.
	lane    *graphstore.Lane
	waiting atomic.Int64
}

// New makes a Service.
func New(o Options) *Service {
	return &Service{Options: o, naming: catalog.NewNaming(o.Registry), lane: graphstore.NewLane(limits.SQLReads)}
}

// Read reads SQL with the tables of the catalog. Text that is not SQL of the dialect is not an error: the
// answer says which part was not understood. Read fails with Invalid if the dialect is unknown or missing, no
// dataset can be at the place, or the text names more than limits.MaxSQLTables tables; with TooLarge if the
// text is too long; with Busy if too many questions wait; with Timeout after limits.SQLReadTime. The first
// question waits until the parser is compiled.
func (s *Service) Read(ctx context.Context, q Question) (*Answer, error) {
	if err := q.check(s.Registry); err != nil {
		return nil, err
	}
	if s.Parser == nil {
		return nil, catalog.Errorf(catalog.Unavailable, "this server does not read SQL")
	}
	ctx, cancel := context.WithTimeout(ctx, limits.SQLReadTime)
	defer cancel()
	leave, err := s.Turn(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	found := newTables(s, &q)
	reader := sqllineage.Reader{Parser: s.Parser}
	statements, err := reader.Read(ctx, q.SQL, sqllineage.Settings{Dialect: q.Dialect, Database: q.Database, Schema: q.Schema, Tables: found.find})
	if err != nil {
		return nil, failure(err)
	}
	return s.answer(ctx, &q, found, statements)
}

// Turn waits for a turn to read SQL for a caller. It fails with Busy if too many others wait.
func (s *Service) Turn(ctx context.Context) (leave func(), err error) {
	defer s.waiting.Add(-1)
	if s.waiting.Add(1) > limits.MaxSQLWaiting {
		return nil, &catalog.Error{Code: catalog.Busy, Message: "too many questions about SQL are waiting; try again", Err: &catalog.WaitError{Wait: time.Second}}
	}
	leave, err = s.lane.Enter(ctx)
	if errors.Is(err, graphstore.ErrBusy) {
		return nil, &catalog.Error{Code: catalog.Busy, Message: "other questions about SQL are being answered; try again", Err: &catalog.WaitError{Wait: time.Second}}
	}
	return leave, catalog.StoreFailure(err)
}

// failure turns an error of the reader into one for callers.
func failure(err error) error {
	var size *sqllineage.SizeError
	switch {
	case errors.As(err, &size):
		return catalog.Errorf(catalog.TooLarge, "%s", size.Error())
	case errors.Is(err, parser.ErrClosed):
		return &catalog.Error{Code: catalog.Unavailable, Message: "the server is stopping", Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &catalog.Error{Code: catalog.Timeout, Message: fmt.Sprintf("the SQL was not read within %v", limits.SQLReadTime), Err: err}
	}
	return catalog.StoreFailure(err)
}

// unknownDialect returns the error for a name that no dialect has.
func unknownDialect(name string) error {
	if name == "" {
		return catalog.Errorf(catalog.Invalid, "dialect is required: the name of a platform, such as snowflake, or generic")
	}
	return catalog.Errorf(catalog.Invalid, "unknown dialect %q%s", name, nearest.Among(name, parser.Dialects(), "dialects"))
}
