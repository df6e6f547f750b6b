package relational

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/querylog"
	"github.com/headwater-io/headwater/catalog/sqllineage"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// usage states who has queried which tables of a database, by the statements that the database has counted: queries, and
// the usage of this day. It does not state the lineage that follows from the statements, because that lineage would
// replace the lineage that others state of the tables.
func (r *Reading) usage(ctx context.Context, db Database) error {
	counter, is := db.(StatementCounter)
	if !is {
		return nil
	}
	if r.Memory == nil {
		r.Report.Warn("the usage of %s is not read: it is the difference to the last run, which stateful ingestion and a pipeline_name keep", db.Container())
		return nil
	}
	statements, err := counter.Statements(ctx, &r.Usage)
	var not *NotCountedError
	switch {
	case errors.As(err, &not):
		r.Report.Warn("the usage of %s is not read: %s", db.Container(), not.Why)
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		r.Report.Fail("the usage of %s: %v", db.Container(), err)
		return nil
	}
	return r.ran(ctx, db, statements)
}

// ran states the usage of statements.
func (r *Reading) ran(ctx context.Context, db Database, statements []Counted) error {
	log := querylog.New(db.Dialect())
	for i := range statements {
		s := &statements[i]
		r.Report.Scan("statement")
		today := r.Memory.Ran(db.Container()+"\x00"+s.User+"\x00"+s.ID, s.Calls, s.Since)
		if today == 0 {
			continue
		}
		at := s.Last
		if at.IsZero() || at.After(r.Now) {
			at = r.Now
		}
		log.Add(&querylog.Entry{Statement: s.Text, Time: at, User: s.User, Schema: s.Schema, Count: today, Line: i + 1})
	}
	for _, out := range log.LeftOut {
		r.Report.Warn("%d statements of %s are left out: %s", out.Entries, db.Container(), out.Reason)
	}
	collector := log.NewCollector(sqllineage.Given{
		URN: func(table string) (string, bool) {
			if known := r.tables.find(table); known != nil {
				return r.datasetURN(known.Name), true
			}
			return "", false
		},
		Stored:  func(string) (catalog.Tree, error) { return nil, nil },
		Dialect: db.Dialect(), Platform: r.platformURN(), Actor: ingestion, Now: r.Now,
	})
	moments := slices.ContainsFunc(statements, func(s Counted) bool { return !s.Last.IsZero() })
	for _, s := range log.Statements() {
		parts, err := r.partsOf(ctx, db, s)
		if err != nil {
			return err
		}
		for _, p := range collector.Add(s, parts) {
			if err := r.proposeUsage(&p, moments); err != nil {
				return err
			}
		}
	}
	for p, err := range collector.Rest() {
		if err != nil {
			return err
		}
		if err := r.proposeUsage(p, moments); err != nil {
			return err
		}
	}
	return nil
}

// partsOf reads the SQL of a statement; it returns nothing if the SQL is not understood, since databases shorten the statements that they count.
func (r *Reading) partsOf(ctx context.Context, db Database, s *querylog.Statement) ([]lineage.Statement, error) {
	if len(s.Text) > limits.MaxConnectorSQLBytes {
		return nil, nil
	}
	v := &view{name: "\x00", dialect: db.Dialect(), path: db.Path(), dataset: db.Dataset}
	if v.schema = s.Schema; v.schema != "" {
		v.path = []string{v.schema}
	} else if len(v.path) > 0 {
		v.schema = v.path[0]
	}
	parts, err := r.SQL.Read(ctx, s.Text, lineage.Settings{Dialect: v.dialect, Tables: r.tables.lookup(v)})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		parts = nil
	}
	if len(parts) == 0 || slices.ContainsFunc(parts, func(p lineage.Statement) bool { return len(p.NotUnderstood) > 0 && len(p.Reads)+len(p.Writes) == 0 }) {
		r.Report.Scan("statement not understood")
		return nil, nil
	}
	return parts, nil
}

// proposeUsage proposes the queries and the usage of a log, without lineage. moments tells that the database knows when statements ran.
func (r *Reading) proposeUsage(p *sqllineage.Proposal, moments bool) error {
	if p.EntityType == model.EntityQuery || p.Aspect == model.AspectDatasetUsageStatistics || p.Aspect == model.AspectOperation && moments {
		return r.propose(p.URN, p.Aspect, p.Value)
	}
	return nil
}

// Excluded reports whether a text of the recipe, or one of the database's own questions, is in a statement.
func (u *Usage) Excluded(statement string) bool {
	lower := strings.ToLower(statement)
	return slices.ContainsFunc(u.Exclude, func(text string) bool { return strings.Contains(lower, strings.ToLower(text)) }) ||
		slices.ContainsFunc(ownQuestions, func(text string) bool { return strings.Contains(lower, text) })
}

// ownQuestions are in statements that ask a database about itself.
var ownQuestions = []string{"pg_stat_statements", "information_schema", "pg_catalog.", "performance_schema"}
