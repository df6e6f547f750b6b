package sqlqueries

import (
	sqllineage "github.com/headwater-io/headwater/sql/lineage"
)

// Output and Problem are parts of statements.
type (
	Output  = sqllineage.Output
	Problem = sqllineage.Problem
)

// Answer relates a text of SQL to the catalog.
type Answer struct {
	// AsOf is the moment of the answer, epoch milliseconds; 0 means now.
	AsOf int64 `json:"asOf,omitempty"`
	// Dialect is the dialect of the question, and Platform the name of the platform of the tables.
	Dialect  string `json:"dialect"`
	Platform string `json:"platform"`
	// Statements are in the order of the text. They call tables by the names in Tables.
	Statements []Statement `json:"statements"`
	// Tables are the tables that statements read or write, in the order in which they are met.
	Tables []Table `json:"tables"`
	// Partial tells that something is missing from the answer; Reason names it.
	Partial bool   `json:"partial"`
	Reason  string `json:"reason,omitempty"`
}

// Statement is the lineage of a statement, and whether the statement still runs.
type Statement struct {
	sqllineage.Statement
	Runs Runs `json:"runs"`
	// Gone are the tables and columns that the statement needs and the catalog does not have.
	Gone []Gone `json:"gone"`
}

// Runs says whether a statement still runs, as far as the catalog knows the tables.
type Runs string

// A statement fails if something that it needs is gone for certain, and may fail if something is gone possibly.
// It is unknown whether a statement runs of which a part was not understood, or of one of whose tables the
// catalog has no columns.
const (
	RunsYes     Runs = "runs"
	RunsNo      Runs = "fails"
	RunsPerhaps Runs = "mayFail"
	RunsUnknown Runs = "unknown"
)

// Gone is a table or a column that a statement needs and the catalog does not have.
type Gone struct {
	// Table is the name of the table, "" for a column of which the table is not known. Column is "" for a
	// table.
	Table  string `json:"table,omitempty"`
	Column string `json:"column,omitempty"`
	// Certain: the catalog has the table without the column, or says that the table was deleted.
	// Otherwise, the catalog may lack a table or a column that the database has.
	Certain bool   `json:"certain"`
	Line    int    `json:"line"`
	Why     string `json:"why"`
	// Since is when the column was dropped, epoch milliseconds, Actor who stated that and Run in
	// which run; 0 and "" if this is not known.
	Since int64  `json:"since,omitempty"`
	Actor string `json:"actor,omitempty"`
	Run   string `json:"run,omitempty"`
}

// State is the catalog's knowledge of a table or a column.
type State string

// The states.
const (
	// StateKnown: the catalog has the table or the column.
	StateKnown State = "known"
	// StateRemoved: the catalog has the table as soft-deleted.
	StateRemoved State = "removed"
	// StateMade: a statement of the text makes the table, and the catalog does not have it.
	StateMade State = "made"
	// StateUnknown: the catalog does not have the table, or not the columns of the table.
	StateUnknown State = "unknown"
	// StateGone: the catalog has the columns of the table, and this column is not among them.
	StateGone State = "gone"
)

// Table is a table that statements name.
type Table struct {
	// Name is the name by which Statements call the table: that of the catalog or, if the catalog does not have
	// the table, the name as it is written, after the default database and schema.
	Name string `json:"name"`
	// URN is the dataset, "" if the catalog does not have the table.
	URN   string `json:"urn,omitempty"`
	State State  `json:"state"`
	// Nearest are datasets with near names, for some of the tables that the catalog does not have.
	Nearest []Named `json:"nearest,omitempty"`
	// Schema: the catalog has the columns of the table.
	Schema bool `json:"schema"`
	// Deprecated tells that the table should not be used any more, and Note why.
	Deprecated bool    `json:"deprecated,omitempty"`
	Note       string  `json:"note,omitempty"`
	Owners     []Owner `json:"owners"`
	Labels
	// Columns are the columns that statements read or write.
	Columns []Column `json:"columns"`
}

// Column is a column that statements read or write.
type Column struct {
	Name string `json:"name"`
	// URN is the column, "" if the catalog does not have it.
	URN   string `json:"urn,omitempty"`
	State State  `json:"state"`
	// Type is the type in the source.
	Type string `json:"type,omitempty"`
	// Read and Written tell whether a statement reads or writes the column.
	Read    bool `json:"read,omitempty"`
	Written bool `json:"written,omitempty"`
	Labels
	// NameSays is the kind of personal data that the name of the column suggests, such as EMAIL, if no label
	// says that the data is personal.
	NameSays string `json:"nameSays,omitempty"`
}

// Labels are the tags and terms of a table or a column.
type Labels struct {
	Tags  []Named `json:"tags"`
	Terms []Named `json:"terms"`
	// Personal: one of the labels is of personal data.
	Personal bool `json:"personal"`
}

// Named is an entity with its name.
type Named struct {
	URN  string `json:"urn"`
	Name string `json:"name"`
}

// Owner is an owner of a table.
type Owner struct {
	Named
	Email string `json:"email,omitempty"`
}
