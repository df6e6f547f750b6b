package limits

import "time"

// Limits of SQL that is read for lineage.
const (
	// MaxSQLBytes is how long a statement may be that is read for the columns that it names,
	// MaxSQLDepth how deep its parentheses may be nested, MaxSQLNames how many names and
	// MaxSQLSources how many tables it may have.
	MaxSQLBytes   = 1 << 20
	MaxSQLDepth   = 200
	MaxSQLNames   = 20_000
	MaxSQLSources = 500
	// MaxSQLParserBytes is how much memory one instance of the SQL parser may take,
	// MaxSQLTreeBytes how large the tree of a text may be, as the parser gives it, and
	// SQLParseTime how long a text may be parsed.
	MaxSQLParserBytes = 256 << 20
	MaxSQLTreeBytes   = 64 << 20
	SQLParseTime      = 5 * time.Second
	// MaxSQLScriptBytes is how long a script of several statements may be, MaxSQLStatements how
	// many statements it may have, MaxSQLSteps how many columns and expressions of a statement are
	// followed, and MaxSQLProblems how many parts that were not understood are told.
	MaxSQLScriptBytes = 16 << 20
	MaxSQLStatements  = 10_000
	MaxSQLSteps       = 1_000_000
	MaxSQLProblems    = 100
)

// sql are the limits of SQL, for the list of all limits.
func sql() []Limit {
	return []Limit{
		{Name: "SQL bytes", Value: MaxSQLBytes, Unit: "bytes", Meaning: "The length of a statement that impact reads for the columns that it names. A longer statement counts as one that could not be read."},
		{Name: "SQL nesting", Value: MaxSQLDepth, Unit: "levels", Meaning: "The nested parentheses of a statement that impact reads. A statement with more counts as one that could not be read."},
		{Name: "SQL names", Value: MaxSQLNames, Unit: "items", Meaning: "The names, and the queries, in a statement that impact reads. A statement with more counts as one that could not be read."},
		{Name: "SQL tables", Value: MaxSQLSources, Unit: "items", Meaning: "The tables in a statement that impact reads. A statement with more counts as one that could not be read."},
		{Name: "SQL parser memory", Value: MaxSQLParserBytes, Unit: "bytes", Meaning: "The memory of one of the two instances of the SQL parser. A statement that needs more is not understood."},
		{Name: "SQL tree", Value: MaxSQLTreeBytes, Unit: "bytes", Meaning: "The size of the tree of a statement, as the SQL parser gives it. A statement with a larger one is not understood."},
		{Name: "SQL parse time", Value: int64(SQLParseTime / time.Second), Unit: "seconds", Meaning: "How long a statement may be parsed. A statement that takes longer is not understood."},
		{Name: "SQL script", Value: MaxSQLScriptBytes, Unit: "bytes", Meaning: "The length of a script of SQL that is read for lineage, and of a file with the columns of tables. A longer one is an error."},
		{Name: "SQL statements", Value: MaxSQLStatements, Unit: "items", Meaning: "The statements of a script. A script with more is an error."},
		{Name: "SQL steps", Value: MaxSQLSteps, Unit: "items", Meaning: "The expressions and columns that are followed in one statement. A statement with more is not understood."},
		{Name: "SQL problems", Value: MaxSQLProblems, Unit: "items", Meaning: "The parts of a statement that are told as not understood, the first ones."},
	}
}
