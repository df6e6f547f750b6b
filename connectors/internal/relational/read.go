package relational

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/headwater-io/headwater/connectors"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// values is the value of an aspect.
type values = map[string]any

// errEnough ends a reading whose caller wants no more proposals.
var errEnough = errors.New("the caller wants no more")

// Reading is one reading of a database: its settings, and the services that it uses.
type Reading struct {
	*Config
	Driver Driver
	Report *connectors.Report
	// SQL reads the lineage of views and procedures.
	SQL *lineage.Reader
	// Now is the time of all statements.
	Now time.Time
	// Memory has the counters of the last run; nil: there are none, and none are kept.
	Memory *connectors.Memory

	yield  func(*model.FileProposal, error) bool
	tables *tables
	views  []view
	count  int
}

// Proposals returns the proposals that state the contents of the database.
func (r *Reading) Proposals(ctx context.Context) iter.Seq2[*model.FileProposal, error] {
	return func(yield func(*model.FileProposal, error) bool) {
		r.yield, r.tables = yield, newTables()
		if err := r.recall(ctx); err != nil {
			yield(nil, err)
			return
		}
		if err := r.all(ctx); err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

func (r *Reading) all(ctx context.Context) error {
	names, err := r.Driver.Databases(ctx)
	if err != nil {
		return err
	}
	var read []string
	for _, name := range names {
		if !r.Databases.Allows(name) {
			r.Report.Filter(name)
			continue
		}
		read = append(read, name)
		if err := r.with(ctx, name, r.database); err != nil {
			return err
		}
	}
	if err := r.viewLineage(ctx); err != nil {
		return err
	}
	if r.Usage.Enabled {
		for _, name := range read {
			if err := r.with(ctx, name, r.usage); err != nil {
				return err
			}
		}
	}
	if !r.Profiling.Enabled {
		return nil
	}
	p := newProfiler(r)
	for _, name := range read {
		if err := r.with(ctx, name, p.database); err != nil {
			return err
		}
	}
	p.finish()
	return nil
}

// with opens a database for a step. A database that cannot be opened is a failure of the report.
func (r *Reading) with(ctx context.Context, name string, step func(context.Context, Database) error) error {
	db, err := r.Driver.Open(ctx, name)
	if err != nil {
		r.Report.Fail("the database %s cannot be opened: %v", name, err)
		return ctx.Err()
	}
	defer db.Close()
	return step(ctx, db)
}

// schemas are the schemas of a database that the recipe wants.
func (r *Reading) schemas(ctx context.Context, db Database) ([]string, error) {
	names, err := db.Schemas(ctx)
	if err != nil {
		return nil, fmt.Errorf("the schemas of %s: %w", db.Container(), err)
	}
	var wanted []string
	for _, name := range names {
		if !r.TwoLevels && !r.Schemas.Allows(name) {
			r.Report.Filter(name + ".*")
			continue
		}
		wanted = append(wanted, name)
	}
	return wanted, nil
}

func (r *Reading) database(ctx context.Context, db Database) error {
	if err := r.container(db.Container(), ""); err != nil {
		return err
	}
	schemas, err := r.schemas(ctx, db)
	if err != nil {
		return err
	}
	for _, schema := range schemas {
		if err := r.schema(ctx, db, schema); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reading) schema(ctx context.Context, db Database, schema string) error {
	if !r.TwoLevels {
		if err := r.container(db.Container(), schema); err != nil {
			return err
		}
	}
	for t, err := range db.Tables(ctx, schema, What{Tables: r.IncludeTables, Views: r.IncludeViews}) {
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r.Report.Fail("the tables of %s.%s: %v", db.Container(), schema, err)
			break
		}
		if r.count++; r.count > limits.MaxConnectorTables {
			return fmt.Errorf("the source has more than %d tables and views: patterns in the recipe make it smaller", limits.MaxConnectorTables)
		}
		if err := r.table(ctx, db, t); err != nil {
			return err
		}
	}
	if r.IncludeProcedures {
		return r.procedures(ctx, db, schema)
	}
	return nil
}

// propose hands out a proposal of an aspect.
func (r *Reading) propose(urn, aspect string, value any) error {
	text, err := jsontree.Encode(value)
	if err != nil {
		return fmt.Errorf("%s of %s: %w", aspect, urn, err)
	}
	entity, _, _ := strings.Cut(strings.TrimPrefix(urn, "urn:li:"), ":")
	if !r.yield(&model.FileProposal{
		EntityType: entity, EntityURN: urn, ChangeType: "UPSERT", AspectName: aspect,
		Aspect: &model.GenericContent{Value: string(text), ContentType: "application/json"},
	}, nil) {
		return errEnough
	}
	return nil
}

// aspect is an aspect to propose; a nil value is left out.
type aspect struct {
	name  string
	value values
}

func (r *Reading) proposeAll(urn string, aspects ...aspect) error {
	for _, a := range aspects {
		if a.value == nil {
			continue
		}
		if err := r.propose(urn, a.name, a.value); err != nil {
			return err
		}
	}
	return nil
}
