package object

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog/sqlqueries"
	"github.com/headwater-io/headwater/internal/optional"
)

// SQLLineage answers a question about SQL.
func (s *Session) SQLLineage(ctx context.Context, input SQLLineageInput) (*SQLLineage, error) {
	found, err := s.Catalog.SQL.Read(ctx, sqlqueries.Question{
		SQL: input.SQL, Dialect: optional.Or(input.Dialect, ""), Database: optional.Or(input.Database, ""), Schema: optional.Or(input.Schema, ""),
		Platform: optional.Or(input.Platform, ""), Instance: optional.Or(input.PlatformInstance, ""), Env: optional.Or(input.Env, ""), AsOf: optional.Or(input.AsOf, 0),
	})
	if err != nil {
		return nil, err
	}
	if err := s.take(itemsOf(found)); err != nil {
		return nil, err
	}
	refs := s.NewRefs()
	answer := &SQLLineage{
		AsOf: moment(found.AsOf), Dialect: found.Dialect, Platform: found.Platform,
		Statements: make([]*SQLStatement, len(found.Statements)), Tables: make([]*SQLTable, len(found.Tables)), Partial: found.Partial, Reason: given(found.Reason),
	}
	for i := range found.Statements {
		answer.Statements[i] = sqlStatement(&found.Statements[i], refs)
	}
	for i := range found.Tables {
		answer.Tables[i] = sqlTable(&found.Tables[i], refs)
	}
	return answer, refs.Read(ctx)
}

// itemsOf counts the items of an answer about SQL.
func itemsOf(a *sqlqueries.Answer) int {
	items := len(a.Statements) + len(a.Tables)
	for i := range a.Statements {
		s := &a.Statements[i]
		items += len(s.Reads) + len(s.Writes) + len(s.Columns) + len(s.ColumnsRead) + len(s.NotUnderstood) + len(s.Gone)
		for k := range s.Columns {
			items += len(s.Columns[k].Sources)
		}
	}
	for i := range a.Tables {
		t := &a.Tables[i]
		items += len(t.Nearest) + len(t.Owners) + len(t.Tags) + len(t.Terms) + len(t.Columns)
		for k := range t.Columns {
			items += len(t.Columns[k].Tags) + len(t.Columns[k].Terms)
		}
	}
	return items
}

var sqlRuns = map[sqlqueries.Runs]SQLRuns{
	sqlqueries.RunsYes: SQLRunsRuns, sqlqueries.RunsNo: SQLRunsFails, sqlqueries.RunsPerhaps: SQLRunsMayFail, sqlqueries.RunsUnknown: SQLRunsUnknown,
}

var sqlStates = map[sqlqueries.State]SQLState{
	sqlqueries.StateKnown: SQLStateKnown, sqlqueries.StateRemoved: SQLStateRemoved, sqlqueries.StateMade: SQLStateMade,
	sqlqueries.StateUnknown: SQLStateUnknown, sqlqueries.StateGone: SQLStateGone,
}

func sqlStatement(of *sqlqueries.Statement, refs *Refs) *SQLStatement {
	s := &SQLStatement{
		Kind: of.Kind, Line: of.Line, Reads: of.Reads, Writes: of.Writes, Columns: make([]*SQLOutput, len(of.Columns)),
		ColumnsRead: make([]*SQLColumnRead, len(of.ColumnsRead)), NotUnderstood: make([]*SQLProblem, len(of.NotUnderstood)),
		Runs: sqlRuns[of.Runs], Gone: make([]*SQLGone, len(of.Gone)),
	}
	for i := range of.Columns {
		s.Columns[i] = sqlOutput(&of.Columns[i])
	}
	for i, r := range of.ColumnsRead {
		s.ColumnsRead[i] = &SQLColumnRead{Table: r.Table, Column: r.Column, Clause: r.Clause, Line: r.Line, Possible: r.Possible}
	}
	for i, p := range of.NotUnderstood {
		s.NotUnderstood[i] = &SQLProblem{Line: p.Line, Text: p.Text, Why: p.Why}
	}
	for i := range of.Gone {
		g := &of.Gone[i]
		s.Gone[i] = &SQLGone{
			Table: given(g.Table), Column: given(g.Column), Certain: g.Certain, Line: g.Line, Why: g.Why, Since: moment(g.Since), Actor: refs.Of(g.Actor), Run: given(g.Run),
		}
	}
	return s
}

func sqlOutput(of *sqlqueries.Output) *SQLOutput {
	out := &SQLOutput{Output: of.Output, How: string(of.How), Sources: make([]*SQLSource, len(of.Sources))}
	for i, from := range of.Sources {
		out.Sources[i] = &SQLSource{Table: from.Table, Column: from.Column, Possible: from.Possible}
	}
	return out
}

func sqlTable(of *sqlqueries.Table, refs *Refs) *SQLTable {
	t := &SQLTable{
		Name: of.Name, Dataset: refs.Of(of.URN), State: sqlStates[of.State], Nearest: namedRefs(refs, of.Nearest), Deprecated: of.Deprecated, Note: given(of.Note),
		Owners: make([]*ColumnOwner, len(of.Owners)), Labels: namedRefs(refs, slices.Concat(of.Tags, of.Terms)), Personal: of.Personal, Columns: make([]*SQLColumn, len(of.Columns)),
	}
	for i, o := range of.Owners {
		t.Owners[i] = &ColumnOwner{Owner: refs.Of(o.URN), Email: given(o.Email)}
	}
	for i := range of.Columns {
		c := &of.Columns[i]
		t.Columns[i] = &SQLColumn{
			Name: c.Name, Column: refs.Of(c.URN), State: sqlStates[c.State], NativeDataType: given(c.Type), Read: c.Read, Written: c.Written,
			Labels: namedRefs(refs, slices.Concat(c.Tags, c.Terms)), Personal: c.Personal, NameSays: given(c.NameSays),
		}
	}
	return t
}

// namedRefs returns references to entities. Texts that are not URNs are left out.
func namedRefs(refs *Refs, named []sqlqueries.Named) []*EntityRef {
	all := make([]*EntityRef, 0, len(named))
	for _, n := range named {
		if ref := refs.Of(n.URN); ref != nil {
			all = append(all, ref)
		}
	}
	return all
}
