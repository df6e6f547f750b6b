package sqlqueries

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	sqllineage "github.com/headwater-io/headwater/sql/lineage"
)

// builder makes an answer.
type builder struct {
	service  *Service
	question *Question
	found    *tables
	answer   *Answer
	// at has the places of tables in the answer by their names. columns has, for each table, the places of its columns by
	// their names.
	at      map[string]int
	columns []map[string]int
	// made are the tables that the statements so far make.
	made map[string]bool
	// items are the outputs, sources and columns read so far.
	items int
	// personal are the labels of personal data.
	personal map[string]bool
	reasons  []string
}

// answer makes the answer to a question from the statements of its text.
func (s *Service) answer(ctx context.Context, q *Question, found *tables, read []sqllineage.Statement) (*Answer, error) {
	b := &builder{
		service: s, question: q, found: found, at: map[string]int{}, made: map[string]bool{},
		answer: &Answer{AsOf: q.AsOf, Dialect: q.Dialect, Platform: q.place.Platform, Statements: make([]Statement, 0, len(read)), Tables: []Table{}},
	}
	for i := range read {
		b.cut(&read[i])
		b.use(&read[i])
		b.answer.Statements = append(b.answer.Statements, b.judge(&read[i]))
	}
	for _, step := range []func(context.Context) error{b.label, b.own, b.nameLabels, b.near, b.date} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	b.answer.Partial, b.answer.Reason = len(b.reasons) > 0, strings.Join(b.reasons, "; ")
	return b.answer, nil
}

// lacks notes that something is missing from the answer.
func (b *builder) lacks(reason string) {
	if !slices.Contains(b.reasons, reason) {
		b.reasons = append(b.reasons, reason)
	}
}

// cut shortens the lists of a statement so that the answer has at most limits.MaxSQLAnswerItems items.
func (b *builder) cut(s *sqllineage.Statement) {
	fits := func(items int) bool {
		b.items += items
		return b.items <= limits.MaxSQLAnswerItems
	}
	for i := range s.Columns {
		if !fits(1 + len(s.Columns[i].Sources)) {
			s.Columns, s.ColumnsRead = s.Columns[:i], s.ColumnsRead[:0]
			b.lacks(fmt.Sprintf("there are more outputs, sources and columns read than are listed, %d", limits.MaxSQLAnswerItems))
			return
		}
	}
	for i := range s.ColumnsRead {
		if !fits(1) {
			s.ColumnsRead = s.ColumnsRead[:i]
			b.lacks(fmt.Sprintf("there are more outputs, sources and columns read than are listed, %d", limits.MaxSQLAnswerItems))
			return
		}
	}
}

// use adds the tables and columns of a statement to the answer.
func (b *builder) use(s *sqllineage.Statement) {
	makes := strings.HasPrefix(s.Kind, "create") || s.Kind == "select"
	for _, name := range s.Writes {
		if b.made[name] = b.made[name] || makes; b.made[name] {
			b.table(name)
		}
	}
	for _, name := range slices.Concat(s.Reads, s.Writes) {
		b.table(name)
	}
	for i := range s.Columns {
		for _, from := range s.Columns[i].Sources {
			b.column(from.Table, from.Column, false)
		}
		if len(s.Writes) == 1 {
			b.column(s.Writes[0], s.Columns[i].Output, true)
		}
	}
	for _, r := range s.ColumnsRead {
		b.column(r.Table, r.Column, false)
	}
}

// table returns the place of a table in the answer.
func (b *builder) table(name string) int {
	if at, known := b.at[name]; known {
		return at
	}
	t := Table{Name: name, State: StateUnknown, Owners: []Owner{}, Labels: noLabels(), Columns: []Column{}}
	d := b.found.stored[name]
	switch {
	case d != nil:
		t.URN, t.State, t.Schema = d.urn.String(), StateKnown, d.columns != nil
		if d.removed {
			t.State = StateRemoved
		}
	case b.made[name]:
		t.State = StateMade
	}
	b.at[name] = len(b.answer.Tables)
	b.answer.Tables, b.columns = append(b.answer.Tables, t), append(b.columns, map[string]int{})
	return b.at[name]
}

func noLabels() Labels { return Labels{Tags: []Named{}, Terms: []Named{}} }

// column adds a column to the answer. "*" stands for columns that are not known.
func (b *builder) column(table, name string, written bool) {
	if name == "*" || name == "" {
		return
	}
	at := b.table(table)
	t := &b.answer.Tables[at]
	place, known := b.columns[at][name]
	if !known {
		place = len(t.Columns)
		b.columns[at][name] = place
		t.Columns = append(t.Columns, b.newColumn(t, name, written))
	}
	c := &t.Columns[place]
	c.Read, c.Written = c.Read || !written, c.Written || written
}

func (b *builder) newColumn(t *Table, name string, written bool) Column {
	c := Column{Name: name, State: StateUnknown, Labels: noLabels()}
	d := b.found.stored[t.Name]
	if d == nil || d.columns == nil {
		if b.made[t.Name] {
			c.State = StateMade
		}
		return c
	}
	of := d.column(name)
	switch {
	case of != nil:
		c.State, c.Type = StateKnown, of.NativeType
		if u, err := model.ColumnURN(d.urn, of.Path); err == nil {
			c.URN = u.String()
		}
	case b.made[t.Name]:
		c.State = StateMade
	case !written:
		c.State = StateGone
	}
	return c
}

// column finds a column by its name, with its letter case first; nil if there is none.
func (d *stored) column(name string) *statements.Column {
	at, known := d.byName[name]
	if !known {
		at, known = d.byName[strings.ToLower(name)]
	}
	if !known {
		return nil
	}
	return &d.columns[at]
}

// judge says whether a statement still runs.
func (b *builder) judge(s *sqllineage.Statement) Statement {
	judged := Statement{Statement: *s, Runs: RunsYes, Gone: []Gone{}}
	told := map[[2]string]bool{}
	tell := func(g *Gone) {
		if g != nil && !told[[2]string{g.Table, g.Column}] {
			told[[2]string{g.Table, g.Column}] = true
			judged.Gone = append(judged.Gone, *g)
		}
	}
	for _, name := range slices.Concat(s.Reads, s.Writes) {
		tell(b.goneTable(name, s.Line))
	}
	for _, r := range s.ColumnsRead {
		tell(b.goneColumn(r.Table, r.Column, r.Line))
	}
	for i := range s.Columns {
		for _, from := range s.Columns[i].Sources {
			tell(b.goneColumn(from.Table, from.Column, lineOf(s, from.Column)))
		}
	}
	understood := true
	for i := range s.NotUnderstood {
		p := &s.NotUnderstood[i]
		understood = understood && p.LacksColumn()
		if p.Why == sqllineage.WhyNoColumn {
			tell(&Gone{Column: p.Text, Line: p.Line, Why: "no table of the statement has the column"})
		}
	}
	for _, name := range s.Reads {
		t := &b.answer.Tables[b.at[name]]
		understood = understood && (t.Schema || t.State == StateMade)
	}
	switch {
	case slices.ContainsFunc(judged.Gone, func(g Gone) bool { return g.Certain }):
		judged.Runs = RunsNo
	case len(judged.Gone) > 0:
		judged.Runs = RunsPerhaps
	case !understood:
		judged.Runs = RunsUnknown
	}
	return judged
}

// goneTable returns how a table is gone, nil if it is not.
func (b *builder) goneTable(name string, line int) *Gone {
	if b.made[name] {
		return nil
	}
	switch b.answer.Tables[b.at[name]].State {
	case StateRemoved:
		return &Gone{Table: name, Certain: true, Line: line, Why: "the table is soft-deleted"}
	case StateUnknown:
		return &Gone{Table: name, Line: line, Why: "the catalog does not have the table"}
	}
	return nil
}

// goneColumn returns how a column is gone, nil if it is not.
func (b *builder) goneColumn(table, column string, line int) *Gone {
	at, known := b.at[table]
	if !known {
		return nil
	}
	place, known := b.columns[at][column]
	if !known || b.answer.Tables[at].Columns[place].State != StateGone {
		return nil
	}
	return &Gone{Table: table, Column: column, Certain: true, Line: line, Why: "the table does not have the column"}
}

// lineOf returns the line of the first part that the parser did not understand and that names a column.
func lineOf(s *sqllineage.Statement, column string) int {
	for i := range s.NotUnderstood {
		if p := &s.NotUnderstood[i]; p.LacksColumn() && strings.HasSuffix(p.Text, column) {
			return p.Line
		}
	}
	return s.Line
}

// date tells of gone columns when they were dropped, if the history of their tables knows the time.
func (b *builder) date(ctx context.Context) error {
	var names []string
	wanted := map[string][]string{}
	each := func(do func(g *Gone, table, column string)) {
		for i := range b.answer.Statements {
			s := &b.answer.Statements[i]
			for k := range s.Gone {
				g := &s.Gone[k]
				of := s.Reads
				if g.Table != "" {
					of = []string{g.Table}
				}
				for _, table := range of {
					if d := b.found.stored[table]; g.Column != "" && d != nil && d.columns != nil {
						do(g, table, g.Column[strings.LastIndexByte(g.Column, '.')+1:])
					}
				}
			}
		}
	}
	each(func(_ *Gone, table, column string) {
		if wanted[table] == nil {
			names = append(names, table)
		}
		if !slices.Contains(wanted[table], column) {
			wanted[table] = append(wanted[table], column)
		}
	})
	if len(names) > limits.MaxSQLDrops {
		names = names[:limits.MaxSQLDrops]
		b.lacks(fmt.Sprintf("the drops of columns are looked for in %d tables", limits.MaxSQLDrops))
	}
	drops := map[string]map[string]history.Drop{}
	for _, table := range names {
		dropped, err := b.service.Past.DroppedColumns(ctx, b.found.stored[table].urn, wanted[table], b.question.AsOf)
		if err != nil {
			return err
		}
		drops[table] = dropped
	}
	each(func(g *Gone, table, column string) {
		if d, was := drops[table][column]; was {
			g.Table, g.Since, g.Actor, g.Run, g.Why = table, d.Time, d.Actor, d.Run, "the column was dropped from "+table
		}
	})
	return nil
}
