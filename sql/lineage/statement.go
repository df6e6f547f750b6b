package lineage

// How is the operation of an output column on the values of its sources. An output has the strongest
// of the ways of its sources: an aggregation of a transformation is an aggregation.
type How string

// The ways, from the weakest to the strongest.
const (
	Identity       How = "identity"
	Transformation How = "transformation"
	Aggregation    How = "aggregation"
)

// Statement is the lineage of one statement of a script.
type Statement struct {
	// Kind is "select", "insert", "create table", "create view", "create materialized view", "update", "delete", "merge", or
	// another kind of statement that reads and writes no columns.
	Kind string `json:"kind"`
	// Line is the line of the script on which the statement begins, from 1.
	Line int `json:"line"`
	// Text is the statement's part of the script, which may have more statements.
	Text string `json:"-"`
	// Reads and Writes are the names of tables, sorted. A table that the caller knows has the
	// caller's name, another one its name as it is written, after the default database and schema.
	Reads  []string `json:"reads"`
	Writes []string `json:"writes"`
	// Columns are the outputs of a query, or the columns that the statement writes.
	Columns []Output `json:"columns"`
	// ColumnsRead are the columns whose values do not flow to an output, in the order of the text.
	ColumnsRead []Read `json:"columnsRead"`
	// Rows is equal for two statements whose joins, filters, groups and limits differ only in comments, letter case, aliases and
	// layout.
	Rows string `json:"-"`
	// Defines are the columns that the statement defines without a query, as CREATE TABLE does.
	Defines []Definition `json:"-"`
	// Alters are the actions of ALTER TABLE and ALTER VIEW, in their order.
	Alters []Alteration `json:"-"`
	// NotUnderstood are the parts of the statement of which the lineage is not known.
	NotUnderstood []Problem `json:"notUnderstood"`
	// Mentions are all places that read a column, including places in select lists, in the order of
	// the text.
	Mentions []Mention `json:"-"`
}

// Mention is a place that reads a column. Named: the place has the column's name; other places read
// the output of a query inside. Whole: the place is "*", or a
// row as a whole.
type Mention struct {
	Read
	Named, Whole bool
}

// Output is an output column. Sources is empty for a constant.
type Output struct {
	Output  string   `json:"output"`
	Sources []Source `json:"sources"`
	How     How      `json:"how"`
	// Star: "*" stands for the output.
	Star bool `json:"star,omitempty"`
	// Aliased: the SQL names the output by an alias.
	Aliased bool `json:"-"`
	// Form is equal for two outputs whose expressions differ only in comments, letter case, aliases and layout. Cast is the
	// type that the expression is cast to, "" for none.
	Form string `json:"-"`
	Cast string `json:"-"`
}

// Source is a column of a table. The column "*" stands for the columns of a table that are not
// known.
type Source struct {
	Table  string `json:"table"`
	Column string `json:"column"`
	// Possible: the name may mean this column or one of another table, because the columns of the
	// tables are not known.
	Possible bool `json:"possible,omitempty"`
	// Star: only "*" means the column, and no name in the statement.
	Star bool `json:"-"`
}

// Read is a place at which a column is read. Line counts from 1 in the script.
type Read struct {
	Table    string `json:"table"`
	Column   string `json:"column"`
	Clause   string `json:"clause"`
	Line     int    `json:"line"`
	Possible bool   `json:"possible,omitempty"`
	Star     bool   `json:"-"`
}

// WhyNoColumn is the reason of a Problem whose text is a name that no table of the statement has.
const WhyNoColumn = "no table has a column of this name"

// whyLacks is the reason of a Problem whose text is a name that a known table does not have.
func whyLacks(table string) string { return "the known columns of " + table + " do not have this name" }

// LacksColumn reports whether the part is the name of a column that no known table has. The rest of the
// statement was understood.
func (p *Problem) LacksColumn() bool {
	return p.Name && p.Text != "*"
}

// Problem is a part of a text of which the lineage is not known.
type Problem struct {
	Line int    `json:"line"`
	Text string `json:"text"`
	Why  string `json:"why"`
	// Name: the part is a name whose meaning is not known. The rest of the statement was understood.
	Name bool `json:"-"`
}

var strength = map[How]int{"": 0, Identity: 1, Transformation: 2, Aggregation: 3}

func stronger(a, b How) How {
	if strength[a] >= strength[b] {
		return a
	}
	return b
}
