// Package relational states the contents of a relational database as the client's sources of databases do: containers,
// tables, views with their lineage, procedures and profiles. How a kind of database is asked is a Driver.
package relational

import (
	"context"
	"iter"
	"time"
)

// Driver asks one kind of database.
type Driver interface {
	// Databases returns the databases that the recipe means, before its database_pattern.
	Databases(ctx context.Context) ([]string, error)
	// Open connects to a database.
	Open(ctx context.Context, database string) (Database, error)
}

// Database is a connection to a database. It is used by one goroutine.
type Database interface {
	// Container is the name of the database's container.
	Container() string
	// Dataset returns the name of a table in its URN, without the platform instance.
	Dataset(schema, table string) string
	// Dialect is the dialect of the database's SQL, and Path the schemas in which a name without schema is looked up.
	Dialect() string
	Path() []string
	// Schemas returns the names of the schemas, before the recipe's schema_pattern. A database without schemas has one,
	// of its own name.
	Schemas(ctx context.Context) ([]string, error)
	// Tables returns the tables and views of a schema. While the caller has one, it may use the connection.
	Tables(ctx context.Context, schema string, what What) iter.Seq2[*Table, error]
	// Procedures returns the stored procedures of a schema.
	Procedures(ctx context.Context, schema string) ([]Procedure, error)
	// Profile counts the rows of a table, and returns the statistics of some columns.
	Profile(ctx context.Context, t *Table, columns []*Column, p *Profiling) (*Profile, error)
	// Close ends the connection.
	Close()
}

// Counted is a statement as a database counts it.
type Counted struct {
	// ID tells the statements of one user apart.
	ID, Text string
	// User is "" if the database does not say who ran it. Schema is that of names without one, "" for the search path.
	User, Schema string
	Calls        int64
	// Since is since when the database counts, Last when the statement ran last; zero if it does not say.
	Since, Last time.Time
}

// StatementCounter is a Database that counts the statements that run.
type StatementCounter interface {
	// Statements returns the statements of the database, the most frequent first. An error of the type
	// NotCountedError says why there are none.
	Statements(ctx context.Context, u *Usage) ([]Counted, error)
}

// NotCountedError says why a database does not tell the statements that ran.
type NotCountedError struct{ Why string }

func (e *NotCountedError) Error() string { return e.Why }

// Committer is a Database that may know when the newest row of a table was written.
type Committer interface {
	// Committed returns that moment, nil if it is not known or would take too long to find.
	Committed(ctx context.Context, t *Table) (*time.Time, error)
}

// What selects the wanted tables and views.
type What struct {
	Tables, Views bool
	// Sizes asks for the tables' sizes and numbers of rows too.
	Sizes bool
}

// Table is a table or a view.
type Table struct {
	Schema, Name string
	View         bool
	Materialized bool
	// Fault says why the table could not be read, while others can: such as a view of a table that is gone.
	Fault error
	// Comment is nil if there is none.
	Comment *string
	// Properties are further properties, nil for none.
	Properties map[string]string
	// Definition is the definition of a view, "" if it is not known. Query is its query in other words, by which the lineage
	// is read; "" if Definition serves.
	Definition, Query string
	Columns           []Column
	Foreign           []ForeignKey
	// Sources are the tables that the database itself says a view reads, nil if it does not say.
	Sources []Name
	// Rows is the database's estimate and Bytes the size, nil if it does not say.
	Rows, Bytes *int64
	// Updated is when the rows were last changed, nil if the database does not say.
	Updated *time.Time
	// Changes is how many changed rows the database has counted, nil if it does not count them.
	Changes *int64
}

// Name is the name of a table.
type Name struct{ Schema, Table string }

// Column is a column.
type Column struct {
	Name string
	// Native is the type in the words of the database, Kind the record of the metadata model without "Type".
	Native, Kind string
	Nullable     bool
	// Key: the column is part of the primary key.
	Key     bool
	Comment *string
	// Class says which statistics a profile has.
	Class Class
}

// Class is a class of types with the same statistics.
type Class int

// The classes of types.
const (
	Other   Class = iota // counts and samples
	Whole                // whole numbers
	Decimal              // other numbers
	Moment               // dates, times and moments: minimum and maximum
	Opaque               // no statistics: its values cannot be compared
)

// ForeignKey is a foreign key. Columns and Referred have the same length.
type ForeignKey struct {
	Name              string
	Columns, Referred []string
	Table             Name
}

// Procedure is a stored procedure.
type Procedure struct {
	Name string
	// Arguments tell procedures of one name apart; "" for none.
	Arguments string
	// Language is SQL, or another one, whose lineage is not read.
	Language, Definition string
	Comment              *string
}

// Profile are the statistics of a table.
type Profile struct {
	Rows    int64
	Columns []ColumnProfile
}

// ColumnProfile are the statistics of a column. Texts are spelled as the client spells values.
type ColumnProfile struct {
	Name                          string
	NotNull                       int64
	Distinct                      *int64
	Min, Max, Mean, Median, Stdev *string
	Samples                       []string
	// Sampled: samples were asked for.
	Sampled bool
}
