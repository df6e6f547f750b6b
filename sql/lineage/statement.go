package lineage

// How says what an output column does with the values of its sources. An output has the strongest
// of the ways of its sources: an aggregation of a transformation is an aggregation.
type How string

// The ways, from the weakest to the strongest.
const (
	Identity       How = "identity"
	Transformation How = "transformation"
	Aggregation    How = "aggregation"
)

// Clauses in which columns are read without their values flowing to an output.
const (
	ClauseJoin     = "join"
	ClauseFilter   = "filter"
	ClauseGroup    = "group"
	ClauseHaving   = "having"
	ClauseWindow   = "window"
	ClauseQualify  = "qualify"
	ClauseOrder    = "order"
	ClauseSubquery = "subquery" // a query in an expression, as in IN (SELECT …)
	ClauseSelect   = "select"   // a select list whose output is not used
	ClauseStar     = "star"     // "*" in a select list whose output is not used
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
	// NotUnderstood are the parts of the statement of which the lineage is not known.
	NotUnderstood []Problem `json:"notUnderstood"`
}

// Output is an output column. Sources is empty for a constant.
type Output struct {
	Output  string   `json:"output"`
	Sources []Source `json:"sources"`
	How     How      `json:"how"`
	// Star: the output is one of those that "*" stands for.
	Star bool `json:"star,omitempty"`
}

// Source is a column of a table. The column "*" stands for the columns of a table that are not
// known.
type Source struct {
	Table  string `json:"table"`
	Column string `json:"column"`
	// Possible: the name may mean this column or one of another table, because the columns of the
	// tables are not known.
	Possible bool `json:"possible,omitempty"`
}

// Read is a place at which a column is read. Line counts from 1 in the script.
type Read struct {
	Table    string `json:"table"`
	Column   string `json:"column"`
	Clause   string `json:"clause"`
	Line     int    `json:"line"`
	Possible bool   `json:"possible,omitempty"`
}

// Problem is a part of a text of which the lineage is not known.
type Problem struct {
	Line int    `json:"line"`
	Text string `json:"text"`
	Why  string `json:"why"`
}

var strength = map[How]int{"": 0, Identity: 1, Transformation: 2, Aggregation: 3}

func stronger(a, b How) How {
	if strength[a] >= strength[b] {
		return a
	}
	return b
}
