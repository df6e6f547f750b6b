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
	// MaxSQLTypeDepth is how deep the types inside of a type are read for its fields, and MaxSQLTypeBytes how long the paths of
	// the fields of a type, or of a table that a script makes, may be together.
	MaxSQLTypeDepth = 32
	MaxSQLTypeBytes = 1 << 20
	// MaxImpactStatements is how many statements the impact of one column parses that nobody asked
	// about before.
	MaxImpactStatements = 1000
	// SQLReads is how many questions about SQL are answered at one time, MaxSQLWaiting how many
	// others wait, and SQLReadTime how long the answer to one may take.
	SQLReads      = 2
	MaxSQLWaiting = 16
	SQLReadTime   = 50 * time.Second
	// SQLPastSchemas is how many questions headwater sql --log asks a server about the columns that tables had when a
	// statement ran.
	SQLPastSchemas = 1000
	// SQLDeriveTime is how long the SQL of one entity may be read for its lineage in the background.
	SQLDeriveTime = 20 * time.Second
	// MaxLineageDifferences is how many columns of an entity may have stored differences between the readings of a
	// client's SQL parser and of the server.
	MaxLineageDifferences = 2000
	// MaxSQLTables is how many tables a question about SQL may look up, and MaxSQLAnswerItems how
	// many outputs, sources and places of columns its answer lists.
	MaxSQLTables      = 1000
	MaxSQLAnswerItems = 20_000
	// MaxSQLNearest is for how many tables that the catalog lacks the nearest names are looked for,
	// MaxSQLDrops in how many tables the drop of a column is looked for, and MaxSchemasLookedAt in
	// how many versions of a schema.
	MaxSQLNearest      = 10
	MaxSQLDrops        = 20
	MaxSchemasLookedAt = 50
	// MaxLogEntryBytes is how long an entry of a query log may be, MaxLogStatements how many different statements a log
	// may have, MaxLogTextBytes how long their texts may be together, and MaxLogUses how many pairs of a day and a user
	// are counted for all statements together. MaxLogTopQueries is how many statements the usage of a dataset on a day
	// names, and MaxLogQueryLetters how many letters of each.
	MaxLogEntryBytes   = 4 << 20
	MaxLogStatements   = 100_000
	MaxLogTextBytes    = 64 << 20
	MaxLogUses         = 1_000_000
	MaxLogTopQueries   = 10
	MaxLogQueryLetters = 2400
	// DefaultUnusedColumns and MaxUnusedColumns are how many columns a page of unused columns looks at,
	// MaxUnusedDatasets how many datasets a request may name, MaxUnusedQueries how many queries about a dataset are
	// looked at, MaxUnusedReaders how many readers of a column are named, and DefaultUnusedDays and MaxUnusedDays for
	// how many days a column must not have been read.
	DefaultUnusedColumns = 200
	MaxUnusedColumns     = 1000
	MaxUnusedDatasets    = 100
	MaxUnusedQueries     = 1000
	MaxUnusedReaders     = 10
	DefaultUnusedDays    = 90
	MaxUnusedDays        = 3650
)

// sql are the limits of SQL, for the list of all limits.
func sql() []Limit {
	return []Limit{
		{Name: "sql past schemas", Value: SQLPastSchemas, Unit: "questions", Meaning: "The questions that one headwater sql --log asks a server about the columns that tables had when a statement ran. Further statements are read with the columns of now."},
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
		{Name: "SQL type nesting", Value: MaxSQLTypeDepth, Unit: "levels", Meaning: "The types inside of a type, such as STRUCT or ARRAY, whose fields are known. The name of a deeper field means the nearest field around it."},
		{Name: "SQL type fields", Value: MaxSQLTypeBytes, Unit: "bytes", Meaning: "The paths of the fields of one type, or of a table that a script makes, together. The names of further fields mean the column."},
		{Name: "log entry", Value: MaxLogEntryBytes, Unit: "bytes", Meaning: "The length of an entry of a query log: a line of JSON, a row of CSV, or a statement. A longer line is left out and told; a longer row of CSV ends the reading with an error."},
		{Name: "log statements", Value: MaxLogStatements, Unit: "items", Meaning: "The different statements of a query log, where those that differ in literals only are one. Entries with further ones are left out and told."},
		{Name: "log texts", Value: MaxLogTextBytes, Unit: "bytes", Meaning: "The length of the different statements of a query log together. Entries with further ones are left out and told."},
		{Name: "log uses", Value: MaxLogUses, Unit: "items", Meaning: "The days and users of the statements of a query log: one for each statement, day and user. Entries with further ones are left out and told."},
		{Name: "log queries", Value: MaxLogTopQueries, Unit: "items", Meaning: "The statements that the usage of a dataset on a day names, the most frequent ones."},
		{Name: "log query", Value: MaxLogQueryLetters, Unit: "letters", Meaning: "The length of a statement in the usage of a dataset on a day. Of a longer one the beginning is written."},
		{Name: "unused columns", Value: MaxUnusedColumns, Unit: "columns", Meaning: "The columns that a page of unused columns looks at, and those of one dataset. A larger page is refused with 400; of a wider dataset the first ones are looked at, and the answer says so."},
		{Name: "datasets of unused columns", Value: MaxUnusedDatasets, Unit: "datasets", Meaning: "The datasets that a request for unused columns may name. More are refused with 400."},
		{Name: "queries of unused columns", Value: MaxUnusedQueries, Unit: "queries", Meaning: "The queries about a dataset that are looked at for its unused columns. If there are more, no column of the dataset is called unused."},
		{Name: "readers of unused columns", Value: MaxUnusedReaders, Unit: "entities", Meaning: "The entities that an answer names which read a column or may read it. Further ones are counted."},
		{Name: "days of unused columns", Value: MaxUnusedDays, Unit: "days", Meaning: "The days for which a request may ask that a column was not read. More are refused with 400."},
		{Name: "SQL problems", Value: MaxSQLProblems, Unit: "items", Meaning: "The parts of a statement that are told as not understood, the first ones."},
		{Name: "SQL of an impact", Value: MaxImpactStatements, Unit: "items", Meaning: "The statements that the impact of one column parses, besides those that were parsed before. In further ones it finds the column by its name, and its reasons name the clause only."},
		{Name: "SQL questions at once", Value: SQLReads, Unit: "requests", Meaning: "The questions about SQL that are answered at one time, because each needs a part of the parser."},
		{Name: "SQL questions waiting", Value: MaxSQLWaiting, Unit: "requests", Meaning: "The questions about SQL that wait for their turn. A further one, and one that has waited for the lane wait, is answered with 503 and Retry-After."},
		{Name: "SQL question time", Value: int64(SQLReadTime / time.Second), Unit: "seconds", Meaning: "How long a question about SQL may take. Then it is answered with 504."},
		{Name: "SQL derivation time", Value: int64(SQLDeriveTime / time.Second), Unit: "seconds", Meaning: "How long the server reads the SQL of one entity to derive its lineage. Of SQL that takes longer nothing is derived, which the log of the server and its metrics tell."},
		{Name: "differences of lineage", Value: MaxLineageDifferences, Unit: "columns", Meaning: "The columns of an entity of which both statements are kept, where a client's SQL parser and the server read the same SQL differently. Of further columns the client's statement stands."},
		{Name: "SQL tables looked up", Value: MaxSQLTables, Unit: "items", Meaning: "The tables that the text of a question about SQL names. A text with more is refused with 400."},
		{Name: "SQL answer", Value: MaxSQLAnswerItems, Unit: "items", Meaning: "The outputs, sources and columns read that an answer about SQL lists, the first ones. An answer with fewer than there are is partial, and says so."},
		{Name: "SQL nearest names", Value: MaxSQLNearest, Unit: "items", Meaning: "The tables of SQL that the catalog does not have for which the nearest names are looked for, the first ones."},
		{Name: "SQL drops", Value: MaxSQLDrops, Unit: "items", Meaning: "The tables of SQL in whose history the drop of a missing column is looked for, the first ones."},
		{Name: "SQL schema versions", Value: MaxSchemasLookedAt, Unit: "items", Meaning: "The versions of a table's schema in which the drop of a column is looked for, the newest ones."},
	}
}
