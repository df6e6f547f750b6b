package mcp

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog/sqlqueries"
	"github.com/headwater-io/headwater/internal/limits"
)

// SQLArguments are the arguments of sql.
type SQLArguments struct {
	SQL      string `json:"sql" jsonschema:"one statement or several"`
	Dialect  string `json:"dialect" jsonschema:"name of the platform, such as snowflake, postgres, bigquery, mssql"`
	Database string `json:"database,omitempty" jsonschema:"database of tables that are named without one"`
	Schema   string `json:"schema,omitempty" jsonschema:"schema of tables that are named without one"`
	Platform string `json:"platform,omitempty" jsonschema:"platform of the tables, if it is not the dialect's"`
	Instance string `json:"platform_instance,omitempty"`
	Env      string `json:"env,omitempty" jsonschema:"PROD if left out"`
	AsOf     string `json:"as_of,omitempty" jsonschema:"a past moment; now if left out"`
	Paging
}

// SQLAnswer is the answer of sql.
type SQLAnswer struct {
	AsOf       string         `json:"as_of,omitempty"`
	Statements []SQLStatement `json:"statements"`
	// Tables are the tables that the statements of the page name.
	Tables []SQLTable `json:"tables"`
	Page
}

// SQLStatement is a statement of the text.
type SQLStatement struct {
	Kind string `json:"kind"`
	Line int    `json:"line"`
	// Runs is runs, fails, mayFail or unknown.
	Runs  string    `json:"runs"`
	Gone  []SQLGone `json:"gone,omitempty"`
	Reads []string  `json:"reads,omitempty"`
	// Writes are tables.
	Writes  []string    `json:"writes,omitempty"`
	Outputs []SQLOutput `json:"outputs,omitempty"`
	// ColumnsRead are columns whose values do not flow to an output.
	ColumnsRead   []SQLRead            `json:"columns_read,omitempty"`
	NotUnderstood []sqlqueries.Problem `json:"not_understood,omitempty"`
}

// SQLGone is a table or a column that the catalog does not have.
type SQLGone struct {
	Table   string `json:"table,omitempty"`
	Column  string `json:"column,omitempty"`
	Certain bool   `json:"certain"`
	Line    int    `json:"line"`
	Why     string `json:"why"`
	Since   string `json:"since,omitempty"`
	Actor   string `json:"actor,omitempty"`
	Run     string `json:"run,omitempty"`
}

// SQLOutput is an output of a query, or a column that is written.
type SQLOutput struct {
	Output string `json:"output"`
	// From are columns as table.column; a column that is only possible ends with "?".
	From []string `json:"from,omitempty"`
	How  string   `json:"how"`
}

// SQLRead is a column that is read in a clause.
type SQLRead struct {
	Column string `json:"column"`
	Clause string `json:"clause"`
	Line   int    `json:"line"`
}

// SQLTable is a table that statements name.
type SQLTable struct {
	Name string `json:"name"`
	URN  string `json:"urn,omitempty"`
	// State is known, removed, made or unknown.
	State      string      `json:"state"`
	Nearest    []string    `json:"nearest,omitempty"`
	Deprecated string      `json:"deprecated,omitempty"`
	OwnedBy    []Owner     `json:"owned_by,omitempty"`
	Labels     []string    `json:"labels,omitempty"`
	Personal   bool        `json:"personal,omitempty"`
	Columns    []SQLColumn `json:"columns,omitempty"`
}

// SQLColumn is a column that statements read or write.
type SQLColumn struct {
	Name string `json:"name"`
	// State is gone, made or unknown, "" for a column that the catalog has.
	State    string   `json:"state,omitempty"`
	Type     string   `json:"type,omitempty"`
	Labels   []string `json:"labels,omitempty"`
	Personal bool     `json:"personal,omitempty"`
	// NameSays is the personal data that the name alone suggests.
	NameSays string `json:"name_says,omitempty"`
}

// The parts of an answer about SQL. A statement and a table that are large alone are cut too.
const (
	sqlStatementBytes = limits.MaxAgentAnswer / 2
	sqlTableBytes     = limits.MaxAgentAnswer / 3
	sqlListBytes      = limits.MaxAgentAnswer / 8
	sqlSmallBytes     = limits.MaxAgentAnswer / 24
)

// sqlCut cuts lists, and notes that one was cut.
type sqlCut struct{ cut bool }

func fitted[T any](c *sqlCut, items []T, most int) []T {
	if len(items) == 0 {
		return nil
	}
	fit := fitting(items, most)
	c.cut = c.cut || len(fit) < len(items)
	return fit
}

func (h *Handler) sql(ctx context.Context, in *SQLArguments) (*SQLAnswer, error) {
	asOf, err := moment("as_of", in.AsOf)
	if err != nil {
		return nil, err
	}
	found, err := h.catalog.SQL.Read(ctx, sqlqueries.Question{
		SQL: in.SQL, Dialect: in.Dialect, Database: in.Database, Schema: in.Schema, Platform: in.Platform, Instance: in.Instance, Env: in.Env, AsOf: asOf,
	})
	if err != nil {
		return nil, err
	}
	out, cut := &SQLAnswer{AsOf: shown(asOf)}, &sqlCut{}
	start := min(in.Start, len(found.Statements))
	page := found.Statements[start:min(start+in.Limit, len(found.Statements))]
	statements := make([]SQLStatement, len(page))
	for i := range page {
		statements[i] = sqlStatement(&page[i], cut)
	}
	out.Statements = fitting(statements, sqlStatementBytes)
	out.continues(in.Start, len(out.Statements), len(found.Statements))
	named := map[string]bool{}
	for i := range out.Statements {
		for _, name := range slices.Concat(page[i].Reads, page[i].Writes) {
			named[name] = true
		}
	}
	var tables []SQLTable
	for i := range found.Tables {
		if named[found.Tables[i].Name] {
			tables = append(tables, sqlTable(&found.Tables[i], cut))
		}
	}
	out.Tables = listOf(fitted(cut, tables, sqlTableBytes))
	if found.Partial {
		out.lacks(found.Reason)
	}
	if cut.cut {
		out.lacks("long lists of a statement or a table are cut; ask about fewer statements or columns")
	}
	return out, nil
}

func sqlStatement(of *sqlqueries.Statement, cut *sqlCut) SQLStatement {
	s := SQLStatement{
		Kind: of.Kind, Line: of.Line, Runs: string(of.Runs), Reads: fitted(cut, of.Reads, sqlSmallBytes), Writes: fitted(cut, of.Writes, sqlSmallBytes),
		NotUnderstood: fitted(cut, of.NotUnderstood, sqlSmallBytes),
	}
	var gone []SQLGone
	for i := range of.Gone {
		g := &of.Gone[i]
		gone = append(gone, SQLGone{Table: g.Table, Column: g.Column, Certain: g.Certain, Line: g.Line, Why: g.Why, Since: shown(g.Since), Actor: g.Actor, Run: g.Run})
	}
	var outputs []SQLOutput
	for i := range of.Columns {
		o := SQLOutput{Output: of.Columns[i].Output, How: string(of.Columns[i].How)}
		var from []string
		for _, c := range of.Columns[i].Sources {
			from = append(from, sqlColumnName(c.Table, c.Column, c.Possible))
		}
		o.From = fitted(cut, from, sqlSmallBytes)
		outputs = append(outputs, o)
	}
	var reads []SQLRead
	for _, r := range of.ColumnsRead {
		reads = append(reads, SQLRead{sqlColumnName(r.Table, r.Column, r.Possible), r.Clause, r.Line})
	}
	s.Gone, s.Outputs, s.ColumnsRead = fitted(cut, gone, sqlSmallBytes), fitted(cut, outputs, sqlListBytes), fitted(cut, reads, sqlListBytes)
	return s
}

func sqlColumnName(table, column string, possible bool) string {
	name := table + "." + column
	if possible {
		name += "?"
	}
	return name
}

func sqlTable(of *sqlqueries.Table, cut *sqlCut) SQLTable {
	t := SQLTable{Name: of.Name, URN: of.URN, State: string(of.State), Labels: sqlLabels(&of.Labels, cut), Personal: of.Personal}
	if of.Deprecated {
		t.Deprecated = "yes"
		if of.Note != "" {
			t.Deprecated = clip(of.Note, limits.MaxAgentListedText)
		}
	}
	for _, n := range of.Nearest {
		t.Nearest = append(t.Nearest, n.URN)
	}
	var owners []Owner
	for _, o := range of.Owners {
		owners = append(owners, Owner{URN: o.URN, Name: o.Name, Email: o.Email})
	}
	var columns []SQLColumn
	for i := range of.Columns {
		c := &of.Columns[i]
		column := SQLColumn{Name: c.Name, Type: c.Type, Labels: sqlLabels(&c.Labels, cut), Personal: c.Personal, NameSays: c.NameSays}
		if c.State != sqlqueries.StateKnown {
			column.State = string(c.State)
		}
		columns = append(columns, column)
	}
	t.OwnedBy, t.Columns = fitted(cut, owners, sqlSmallBytes), fitted(cut, columns, sqlListBytes)
	return t
}

func sqlLabels(of *sqlqueries.Labels, cut *sqlCut) []string {
	var names []string
	for _, l := range slices.Concat(of.Tags, of.Terms) {
		names = append(names, l.Name)
	}
	return fitted(cut, names, sqlSmallBytes)
}
