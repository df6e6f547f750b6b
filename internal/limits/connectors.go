package limits

// Limits of the connectors, which read sources without Python.
const (
	// MaxReportedNames is how many names, warnings and failures, each, the report of a reading has.
	MaxReportedNames = 100
	// MaxRecipePatterns is how many regular expressions one list of a recipe may have.
	MaxRecipePatterns = 1000
	// MaxRecipePatternBytes is how long a regular expression of a recipe may be.
	MaxRecipePatternBytes = 4096
	// MaxConnectorTables is how many tables and views a reading may find.
	MaxConnectorTables = 500_000
	// MaxConnectorSQLBytes is how long the definition of a view or a procedure may be for its lineage to be read.
	MaxConnectorSQLBytes = 1 << 20
	// MaxProfileRows is how many rows a table may have, by the database's own estimate, for its columns to be profiled.
	MaxProfileRows = 5_000_000
	// MaxProfileSamples is how many values of a column a profile shows.
	MaxProfileSamples = 100
	// SourceFiles is how many files of a directory one reading takes.
	SourceFiles = 10_000
	// MaxCountedStatements is how many statements that a database has counted are read.
	MaxCountedStatements = 10_000
	// MaxCommitRows is how many rows a table may have, by the database's own estimate, for the commit of its newest row to
	// be looked for, and CommitSeconds how long all that may take in a database.
	MaxCommitRows = 1_000_000
	CommitSeconds = 60
	// MaxStateBytes is how large the state of a source may be, in which its next run finds the entities that are gone.
	MaxStateBytes = 12 << 20
	// MaxUnpackedStateBytes is how large a state that the Python client wrote may be when it is unpacked.
	MaxUnpackedStateBytes = 64 << 20
)

// Times that profiles may take.
const (
	// ProfileStatementSeconds is how long a statement of a profile may run if the recipe does not say.
	ProfileStatementSeconds = 60
	// ProfileSeconds is how long all profiles of a reading may take.
	ProfileSeconds = 3600
)

// connectors lists the limits of the connectors.
func connectors() []Limit {
	return []Limit{
		{Name: "reported names", Value: MaxReportedNames, Unit: "names", Meaning: "The names, the warnings and the failures, each, that the report of a source has. Further ones are counted only."},
		{Name: "recipe patterns", Value: MaxRecipePatterns, Unit: "patterns", Meaning: "The regular expressions of one list in a recipe, such as table_pattern.allow. More are an error."},
		{Name: "recipe pattern", Value: MaxRecipePatternBytes, Unit: "bytes", Meaning: "A regular expression of a recipe. A longer one is an error."},
		{Name: "connector tables", Value: MaxConnectorTables, Unit: "tables", Meaning: "The tables and views that one run of a source reads. The run fails at the next one; patterns in the recipe make it smaller."},
		{Name: "connector SQL", Value: MaxConnectorSQLBytes, Unit: "bytes", Meaning: "The definition of a view, a procedure or a query whose lineage a connector reads. Of a longer one, only the tables are stated that the database itself names."},
		{Name: "counted statements", Value: MaxCountedStatements, Unit: "statements", Meaning: "The statements of one database whose usage a connector reads, those that ran most often. Others are left out, and max_queries_to_extract cannot be larger."},
		{Name: "commit rows", Value: MaxCommitRows, Unit: "rows", Meaning: "The rows of a table of PostgreSQL of which the commit of the newest row is looked for. Of a larger one, and when all these questions have taken 60 seconds, the counters of changed rows tell when it was changed."},
		{Name: "source files", Value: SourceFiles, Unit: "files", Meaning: "The files below one directory that headwater ingest openlineage or a source of files reads. More are an error."},
		{Name: "profile rows", Value: MaxProfileRows, Unit: "rows", Meaning: "The rows that a table may have, by the estimate of its database, for its columns to be profiled; profiling.profile_table_row_limit changes it. Of a larger table the profile has the estimate and the size."},
		{Name: "profile samples", Value: MaxProfileSamples, Unit: "values", Meaning: "The values of one column that a profile shows: profiling.field_sample_values_limit may not be larger."},
		{Name: "profile statement", Value: ProfileStatementSeconds, Unit: "seconds", Meaning: "How long one statement of a profile runs in the database, unless profiling.query_timeout_seconds says otherwise. The profile of the table is then left out, and the report says so."},
		{Name: "profile time", Value: ProfileSeconds, Unit: "seconds", Meaning: "How long the profiles of one run of a source take together. Tables that are left then have no new profile, and the report says how many."},
		{Name: "source state", Value: MaxStateBytes, Unit: "bytes", Meaning: "The state of a source, which lists its entities so that its next run finds those that are gone. A run with a larger one writes none, and reports it as a failure: nothing is removed."},
		{Name: "packed state", Value: MaxUnpackedStateBytes, Unit: "bytes", Meaning: "The state of a source that the Python client wrote, unpacked. A larger one is an error, and nothing is removed."},
	}
}
