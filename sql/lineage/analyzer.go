package lineage

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/sql/parser"
)

// analyzer collects the lineage of one statement.
type analyzer struct {
	script *script
	// begin is the line of the script on which the parsed text begins.
	begin int
	// line is the line of the name that was read last, from 1 in the parsed text.
	line     int
	tables   map[string]*table
	reads    map[string]bool
	writes   map[string]bool
	outputs  []Output
	places   []place
	problems []Problem
	seen     map[Problem]bool
	// trace has the columns that names mean, in the order in which they were read. rows are the forms of the clauses that decide
	// which rows there are, and defined the columns that the statement defines.
	trace, rows []string
	defined     []Definition
	alters      []Alteration
	work        int
	err         error
}

var errTooMuch = errors.New("the statement has too many columns")

// spend counts steps and columns. A statement that takes too many ends with an error.
func (a *analyzer) spend(n int) bool {
	a.work += n
	if a.work > limits.MaxSQLSteps && a.err == nil {
		a.err = errTooMuch
	}
	return a.err == nil
}

func (a *analyzer) see(v any) {
	if line := lineOf(v); line > 0 {
		a.line = line
	}
}

func (a *analyzer) notUnderstood(text, why string) {
	a.problem(Problem{Text: text, Why: why})
}

// unknownName records that the meaning of a name is not known.
func (a *analyzer) unknownName(text, why string) {
	a.problem(Problem{Text: text, Why: why, Name: true})
}

func (a *analyzer) problem(p Problem) {
	p.Line = a.begin - 1 + max(1, a.line)
	if !a.seen[p] && len(a.problems) < limits.MaxSQLProblems {
		a.seen[p] = true
		a.problems = append(a.problems, p)
	}
}

// table returns the table that a name means.
func (a *analyzer) table(parts []string) *table {
	full := a.script.qualified(parts)
	key := keyOf(full)
	if t, ok := a.tables[key]; ok {
		return t
	}
	t := a.script.table(full)
	a.tables[key] = t
	return t
}

// statement returns the collected statement.
func (a *analyzer) statement(kind string) Statement {
	s := Statement{
		Kind: kind, Line: a.begin, Reads: sorted(a.reads), Writes: sorted(a.writes), Columns: a.outputs,
		ColumnsRead: []Read{}, NotUnderstood: a.problems,
	}
	if s.Columns == nil {
		s.Columns = []Output{}
	}
	if s.NotUnderstood == nil {
		s.NotUnderstood = []Problem{}
	}
	slices.Sort(a.rows)
	s.Rows, s.Defines, s.Alters = digest(strings.Join(a.rows, "|")), a.defined, a.alters
	a.nameSources(&s)
	flows := map[[2]string]bool{}
	for _, out := range s.Columns {
		for _, from := range out.Sources {
			flows[[2]string{from.Table, from.Column}] = true
		}
	}
	for _, p := range a.places {
		if !p.inList() {
			flows[[2]string{p.table.name, p.column}] = true // a read outside the SELECT list replaces the read in the list
		}
	}
	known := map[Read]bool{}
	for _, p := range a.places {
		r := Read{Table: p.table.name, Column: p.column, Clause: p.clause, Line: a.begin - 1 + max(1, p.line), Possible: p.possible, Star: p.star}
		s.Mentions = append(s.Mentions, Mention{r, p.named, p.whole})
		if known[r] || p.inList() && flows[[2]string{r.Table, r.Column}] {
			continue
		}
		known[r] = true
		s.ColumnsRead = append(s.ColumnsRead, r)
	}
	slices.SortStableFunc(s.ColumnsRead, func(x, y Read) int { return cmp.Compare(x.Line, y.Line) })
	slices.SortStableFunc(s.Mentions, func(x, y Mention) int { return cmp.Compare(x.Line, y.Line) })
	return s
}

// nameSources removes the mark Star from sources that the statement also reads by name, because a star is then not
// their only reader.
func (a *analyzer) nameSources(s *Statement) {
	named := map[[2]string]bool{}
	for _, p := range a.places {
		if !p.star && !p.possible {
			named[[2]string{p.table.name, p.column}] = true
		}
	}
	for i := range s.Columns {
		for k := range s.Columns[i].Sources {
			from := &s.Columns[i].Sources[k]
			from.Star = from.Star && !named[[2]string{from.Table, from.Column}]
		}
	}
}

func sorted(set map[string]bool) []string {
	names := make([]string, 0, len(set))
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// emit makes the columns of a relation the outputs of the statement. names, if there are any, rename the outputs: they
// are the columns that the statement writes.
func (a *analyzer) emit(rel *relation, names []string) {
	for i, c := range rel.columns {
		name := c.name
		if i < len(names) {
			name = names[i]
		}
		a.output(name, c, c.star)
	}
	for _, t := range rel.rest {
		a.output("*", column{refs: refs{{table: t, column: "*", how: Identity, star: true}}}, true)
		a.unknownName("*", "the columns of "+t.name+" are not known")
	}
	if rel.anyName && len(rel.made) > 0 {
		a.output("*", column{refs: rel.made}, true)
	}
}

func (a *analyzer) output(name string, c column, star bool) {
	columns := c.refs
	out := Output{Output: name, Sources: []Source{}, How: Identity, Star: star, Aliased: c.aliased, Form: formOf(columns, c.alone.form), Cast: kindOf(columns, c.alone.kind)}
	for _, one := range columns {
		if !a.spend(1) {
			return
		}
		out.Sources = append(out.Sources, Source{Table: one.table.name, Column: one.column, Possible: one.possible, Star: one.star})
		out.How = stronger(out.How, one.how)
	}
	if len(columns) == 0 {
		out.How = Transformation
	}
	for i := range a.outputs { // a column that several branches of MERGE write
		if known := &a.outputs[i]; known.Output == name && name != "*" && a.writesColumns() {
			for _, s := range out.Sources {
				if !slices.Contains(known.Sources, s) {
					known.Sources = append(known.Sources, s)
				}
			}
			known.Form = digest(known.Form + "|" + out.Form)
			known.How = stronger(known.How, out.How)
			return
		}
	}
	a.outputs = append(a.outputs, out)
}

// writesColumns reports whether the outputs are columns of a table, each with a name of its own.
func (a *analyzer) writesColumns() bool { return len(a.writes) > 0 }

// query returns the relation that a query gives. clause is the clause under which the columns of the SELECT
// list count as read: ClauseSelect, or ClauseSubquery for a query whose values are only compared.
func (a *analyzer) query(node parser.Node, parent *scope, clause string) *relation {
	if !a.spend(1) {
		return &relation{}
	}
	switch node.Kind {
	case "select":
		if whole, ok := regrouped(node); ok {
			return a.setOperation(whole, parent, clause)
		}
		return a.selectQuery(node.Members, parent, clause)
	case "union", "intersect", "except":
		return a.setOperation(node, parent, clause)
	case "subquery":
		return a.parenthesized(node.Members, parent, clause)
	case "values":
		return a.values(node.Members, parent)
	}
	return &relation{}
}

func (a *analyzer) queryIn(v any, parent *scope, clause string) *relation {
	if node, ok := queryOf(v); ok {
		return a.query(node, parent, clause)
	}
	a.notUnderstood("", "it is not a query")
	return &relation{}
}

func (a *analyzer) parenthesized(m map[string]any, parent *scope, clause string) *relation {
	inner, ok := queryOf(m["this"])
	if !ok { // a join in parentheses
		sc := &scope{parent: parent}
		a.from(m["this"], sc)
		return a.star(sc)
	}
	rel := a.query(inner, parent, clause)
	sc := &scope{parent: parent, outputs: rel.columns}
	a.orders(m, sc)
	return rel.renamed(identifiers(m["column_aliases"]))
}

func (a *analyzer) setOperation(node parser.Node, parent *scope, clause string) *relation {
	m := node.Members
	sc := &scope{parent: parent}
	a.with(m["with"], sc)
	left := a.queryIn(m["left"], sc, clause)
	right := a.queryIn(m["right"], sc, clause)
	a.rows = append(a.rows, node.Kind)
	a.rowsBy("all", m["all"], len(a.trace))
	rel := left
	if node.Kind == "union" {
		rel = left.union(right, isTrue(m["by_name"]))
	} else {
		// The rows of the right side are compared with those of the left side.
		a.read(right.whole(), ClauseFilter)
	}
	sc.outputs = rel.columns
	a.orders(m, sc)
	return rel
}

func (a *analyzer) values(m map[string]any, parent *scope) *relation {
	rel := &relation{}
	for _, row := range list(m["expressions"]) {
		a.row(rel, list(object(row)["expressions"]), a.script.valuesColumn, parent)
	}
	return rel.renamed(identifiers(m["column_aliases"]))
}

// row adds a row of values to a relation. name gives new columns their names.
func (a *analyzer) row(rel *relation, values []any, name func(i int) string, sc *scope) {
	for i, v := range values {
		if i >= len(rel.columns) {
			rel.columns = append(rel.columns, column{name: name(i)})
		}
		rel.columns[i].refs = rel.columns[i].refs.plus(a.expression(v, sc, ClauseSelect))
	}
}

// with defines common table expressions.
func (a *analyzer) with(v any, sc *scope) {
	m := object(v)
	if inner := object(m["with"]); inner != nil {
		m = inner
	}
	recursive := isTrue(m["recursive"])
	for _, c := range list(m["ctes"]) {
		c := object(c)
		if inner := object(c["cte"]); inner != nil {
			c = inner
		}
		name, names := identifier(c["alias"]), identifiers(c["columns"])
		body, isQuery := queryOf(c["this"])
		stands, isTable := a.script.settings.CTEs[strings.ToLower(name)]
		switch {
		case isTable:
			sc.define(name, a.tableRelation([]string{stands}))
		case isQuery && (recursive || body.Kind == "union"):
			sc.define(name, a.recursive(name, names, body, sc))
		case isQuery:
			sc.define(name, a.query(body, sc, ClauseSelect).renamed(names))
		default:
			sc.define(name, a.writingCTE(c["this"], sc).renamed(names))
		}
	}
}

// recursive returns the relation of a common table expression that may name itself: its first
// part, and then all parts over the first one.
func (a *analyzer) recursive(name string, names []string, body parser.Node, sc *scope) *relation {
	if body.Kind != "union" {
		return a.query(body, sc, ClauseSelect).renamed(names)
	}
	first := &scope{parent: sc}
	a.with(body.Members["with"], first)
	anchor := a.queryIn(body.Members["left"], first, ClauseSelect).renamed(names)
	itself := &scope{parent: first}
	itself.define(name, anchor)
	step := a.queryIn(body.Members["right"], itself, ClauseSelect)
	return anchor.union(step, isTrue(body.Members["by_name"])).renamed(names)
}

// writingCTE returns the relation of a statement inside WITH, as in WITH x AS (INSERT … RETURNING …),
// or of an expression, as ClickHouse has it.
func (a *analyzer) writingCTE(v any, sc *scope) *relation {
	node, ok := parser.NodeOf(v)
	if !ok {
		return &relation{}
	}
	if write := writer(node.Kind); write != nil {
		outputs := a.outputs
		write(a, node.Members, sc)
		a.outputs = outputs
		target := &scope{parent: sc, sources: []*source{{rel: &relation{anyName: true}}}}
		rel := &relation{}
		for _, c := range list(node.Members["returning"]) {
			rel.columns = append(rel.columns, a.item(c, target, ClauseSelect)...)
		}
		return rel
	}
	return &relation{anyName: true, made: a.expression(v, sc, ClauseSelect).at(Transformation)}
}
