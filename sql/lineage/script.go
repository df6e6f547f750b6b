package lineage

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/sql/parser"
)

// Table is a table that the caller knows.
type Table struct {
	// Name is the name by which statements are to call the table.
	Name string
	// Columns are the names of columns, and the paths of the fields inside of them, as in address.city.
	Columns []string
	// Forms maps the name of a column in lower case to the name by which forms know the column. It has only columns for
	// which this is not "table.column" in lower case: a renamed column keeps the form of its former name.
	Forms map[string]string
	// Settled: the table has these columns after the whole script, whatever a statement of the script says.
	Settled bool
}

// Tables finds a table by the parts of its name, as in shop.public.orders. It returns nil for a
// table that it does not know.
type Tables func(ctx context.Context, parts []string) (*Table, error)

// Settings say how a script is to be read.
type Settings struct {
	// Dialect is a name that parser.DialectOf knows.
	Dialect string
	// Database and Schema are the defaults for tables whose names lack them; "" for none.
	Database, Schema string
	// Tables are the known tables; nil if there are none.
	Tables Tables
	// CTEs are common table expressions that stand for tables: the names of the tables, by the names of
	// the expressions in lower case. Their queries are not read.
	CTEs map[string]string
	// Fold gives a name of the SQL the letter case that outputs are to have; nil for the letter case of the SQL. quoted: the name
	// is in quotes.
	Fold func(name string, quoted bool) string
}

// Reader reads scripts. It is safe for concurrent use.
type Reader struct {
	Parser *parser.Parser
}

// ErrDialect says that a dialect has no such name.
var ErrDialect = errors.New("unknown SQL dialect")

// SizeError says that a script is too large to be read.
type SizeError struct{ message string }

func (e *SizeError) Error() string { return e.message }

// Read returns the lineage of the statements of a script, in their order. A statement that is not
// understood is in the list, and says so. An error means that the script could not be read at all:
// the dialect is unknown, the script is larger than limits.MaxSQLScriptBytes or has more than
// limits.MaxSQLStatements statements, the parser does not run, ctx is done, or Tables failed.
func (r *Reader) Read(ctx context.Context, script string, s Settings) ([]Statement, error) {
	dialect, known := parser.DialectOf(s.Dialect)
	if !known {
		return nil, fmt.Errorf("%w %q", ErrDialect, s.Dialect)
	}
	if len(script) > limits.MaxSQLScriptBytes {
		return nil, &SizeError{fmt.Sprintf("the script has %d bytes; at most %d are read", len(script), limits.MaxSQLScriptBytes)}
	}
	parts := split(script, dialect)
	if len(parts) > limits.MaxSQLStatements {
		return nil, &SizeError{fmt.Sprintf("the script has %d statements; at most %d are read", len(parts), limits.MaxSQLStatements)}
	}
	run := newScript(ctx, s, dialect)
	statements := make([]Statement, 0, len(parts))
	for _, p := range parts {
		read, err := r.part(run, p)
		if err != nil {
			return nil, err
		}
		statements = append(statements, read...)
	}
	return statements, nil
}

// Ahead begins to parse a script of one statement in the background, because Read is soon called with it.
func (r *Reader) Ahead(script, dialect string) {
	name, known := parser.DialectOf(dialect)
	if !known || len(script) > limits.MaxSQLBytes {
		return
	}
	if parts := split(script, name); len(parts) == 1 {
		r.Parser.Ahead(parts[0].text, name)
	}
}

// part reads a part of a script between two semicolons, in which the parser may find several
// statements.
func (r *Reader) part(run *script, p part) ([]Statement, error) {
	if line, what, ok := template(p.text); ok {
		return []Statement{unread("template", p, line, what, "it is a template, which must be filled in first")}, nil
	}
	trees, err := r.parse(run, p.text)
	var syntax *parser.SyntaxError
	if errors.As(err, &syntax) {
		return []Statement{unread(firstWord(p.text), p, syntax.Line, lineAt(p.text, syntax.Line), syntax.Message)}, nil
	}
	if err != nil {
		return nil, err
	}
	if run.settings.Fold != nil {
		for _, tree := range trees {
			foldNames(tree.Members, run.settings.Fold)
		}
	}
	var statements []Statement
	for _, tree := range trees {
		s, err := run.statement(tree, p)
		if err != nil {
			return nil, err
		}
		s.Text = p.text
		statements = append(statements, s)
	}
	return statements, nil
}

func unread(kind string, p part, line int, text, why string) Statement {
	return Statement{
		Kind: kind, Line: p.line, Reads: []string{}, Writes: []string{}, Columns: []Output{}, ColumnsRead: []Read{},
		NotUnderstood: []Problem{{Line: p.line - 1 + line, Text: text, Why: why}},
	}
}

// made is a temporary table: the columns it was made of, and the tables they are from.
type made struct {
	relation *relation
	reads    []string
}

// script is the state between the statements of a script.
type script struct {
	ctx      context.Context
	settings Settings
	dialect  string
	// lateralAliases: an expression of a select list may name an output before it. aliasesFirst: an output hides a
	// column of the same name in all clauses. assigns: "a = b" in a select list names an output. unnests: "t.items" in
	// FROM is an array of t. mergedInPlace: columns of USING stay in "*" in the place of the left column. rows: the
	// fields of a struct that UNNEST gives are columns.
	lateralAliases, aliasesFirst, assigns, unnests, mergedInPlace, rows bool
	// defined are the columns of tables that the script made; temporaries are the temporary tables.
	defined     map[string][]string
	temporaries map[string]made
	failure     error
}

func newScript(ctx context.Context, s Settings, dialect string) *script {
	run := &script{ctx: ctx, settings: s, dialect: dialect, defined: map[string][]string{}, temporaries: map[string]made{}}
	switch dialect {
	case "snowflake", "redshift", "databricks", "spark", "duckdb", "teradata", "clickhouse", "fabric":
		run.lateralAliases = true
	}
	run.mergedInPlace = dialect == "duckdb"
	run.aliasesFirst = dialect == "clickhouse"
	run.assigns = dialect == "tsql" || dialect == "fabric"
	run.rows = dialect == "trino" || dialect == "presto" || dialect == "athena"
	run.unnests = dialect == "bigquery" || dialect == "redshift" || dialect == "databricks" || dialect == "spark"
	return run
}

// valuesColumn returns the name of a column of VALUES.
func (s *script) valuesColumn(i int) string {
	switch s.dialect {
	case "duckdb":
		return "col" + strconv.Itoa(i)
	case "spark", "databricks", "hive":
		return "col" + strconv.Itoa(i+1)
	default:
		return "column" + strconv.Itoa(i+1)
	}
}

func (s *script) statement(tree parser.Node, p part) (Statement, error) {
	a := &analyzer{
		script: s, begin: p.line, tables: map[string]*table{}, reads: map[string]bool{}, writes: map[string]bool{}, seen: map[Problem]bool{},
	}
	kind := strings.ReplaceAll(tree.Kind, "_", " ")
	if tree.Kind == "create_view" && isTrue(tree.Members["materialized"]) {
		kind = "create materialized view"
	}
	switch write := writer(tree.Kind); {
	case write != nil:
		write(a, tree.Members, nil)
	case queries[tree.Kind]:
		kind = "select"
		a.topQuery(tree)
	case tree.Kind == "pivot" || tree.Kind == "unpivot":
		kind = "select"
		a.emit(a.pivotSource(tree, &scope{}).rel, nil)
	case tree.Kind == "drop_table" || tree.Kind == "drop_view":
		a.drop(tree.Members)
	default:
		if isAlter(tree) {
			a.alter(tree.Members)
		}
		a.notUnderstood(lineAt(p.text, 1), "statements of this kind are not read for lineage")
	}
	if s.failure != nil {
		return Statement{}, s.failure
	}
	if errors.Is(a.err, errTooMuch) {
		return unread(kind, p, 1, lineAt(p.text, 1), a.err.Error()), nil
	}
	return a.statement(kind), nil
}

// topQuery reads a query that is a statement. SELECT … INTO makes a table.
func (a *analyzer) topQuery(tree parser.Node) {
	rel := a.query(tree, nil, ClauseSelect)
	into := object(tree.Members["into"])
	if into == nil {
		a.emit(rel, nil)
		return
	}
	if t := a.target(object(into["this"])); t != nil {
		a.define(t, rel, isTrue(into["temporary"]) || isTrue(into["temp"]))
	}
}

func (a *analyzer) drop(m map[string]any) {
	names := list(m["names"])
	if names == nil {
		names = []any{m["name"]}
	}
	for _, v := range names {
		if t := a.target(v); t != nil {
			a.script.forget(t)
		}
	}
}

// qualified returns the parts of a table's name with the default database and schema.
func (s *script) qualified(parts []string) []string {
	if isTemporaryName(parts) {
		return parts
	}
	if len(parts) == 1 && s.settings.Schema != "" {
		parts = append([]string{s.settings.Schema}, parts...)
	}
	if len(parts) == 2 && s.settings.Database != "" {
		parts = append([]string{s.settings.Database}, parts...)
	}
	return parts
}

// isTemporaryName reports whether a name is the name of a temporary table of T-SQL.
func isTemporaryName(parts []string) bool { return strings.HasPrefix(parts[len(parts)-1], "#") }

func keyOf(parts []string) string { return strings.ToLower(strings.Join(parts, "\x00")) }

// table returns a table by its full name. A table that the script made has the columns that the
// script gave it.
func (s *script) table(parts []string) *table {
	t := &table{name: strings.Join(parts, "."), parts: parts}
	settled := false
	if s.settings.Tables != nil && s.failure == nil {
		known, err := s.settings.Tables(s.ctx, parts)
		switch {
		case err != nil:
			s.failure = err
		case known != nil:
			t.name, t.forms = known.Name, known.Forms
			t.columns, t.fields = parted(known.Columns)
			settled = known.Settled && known.Columns != nil
		}
	}
	if columns, ok := s.defined[keyOf(parts)]; ok && !settled {
		t.columns, t.fields = parted(columns)
	}
	return t
}

// temporary returns the query of a temporary table.
func (s *script) temporary(parts []string) (made, bool) {
	m, ok := s.temporaries[keyOf(s.qualified(parts))]
	return m, ok
}

// define notes that the script made a table by a query.
func (s *script) define(t *table, rel *relation, temporary bool, reads []string) {
	key := keyOf(t.parts)
	if temporary || isTemporaryName(t.parts) {
		s.temporaries[key] = made{rel, reads}
		return
	}
	delete(s.temporaries, key)
	if rel.open() {
		return
	}
	var paths columnPaths
	for _, c := range rel.columns {
		paths.column(c.name)
		paths.fieldsOf(c.refs, c.name)
	}
	s.defined[key] = paths.names
}

// declare notes that the script made an empty table.
func (s *script) declare(t *table, names []string, temporary bool) {
	if len(names) == 0 {
		return
	}
	s.defined[keyOf(t.parts)] = names
	if temporary || isTemporaryName(t.parts) {
		delete(s.temporaries, keyOf(t.parts))
	}
}

func (s *script) forget(t *table) {
	delete(s.defined, keyOf(t.parts))
	delete(s.temporaries, keyOf(t.parts))
}
