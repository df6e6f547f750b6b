package sql

import "strings"

// Dialect has the rules by which a database spells comments, strings and names.
type Dialect struct {
	// doubleIsText: "x" is a string, not a name.
	doubleIsText bool
	// brackets: [x] is a name.
	brackets bool
	// hashComment and slashComment: # and // begin a comment that ends with its line.
	hashComment, slashComment bool
	// backslash: a backslash in a string escapes the next character.
	backslash bool
	// unsure: the dialect is not known. A text in which the doubt matters is not read.
	unsure bool
	// folds says to which case the database converts a name that is not quoted.
	folds folding
}

type folding uint8

const (
	foldsUnknown folding = iota
	foldsLower
	foldsUpper
)

var dialects = map[string]Dialect{
	"postgres":   {folds: foldsLower},
	"redshift":   {folds: foldsLower},
	"greenplum":  {folds: foldsLower},
	"snowflake":  {folds: foldsUpper, slashComment: true, backslash: true},
	"oracle":     {folds: foldsUpper},
	"mysql":      {doubleIsText: true, hashComment: true, backslash: true},
	"mariadb":    {doubleIsText: true, hashComment: true, backslash: true},
	"bigquery":   {doubleIsText: true, hashComment: true, backslash: true},
	"hive":       {doubleIsText: true, backslash: true},
	"spark":      {doubleIsText: true, backslash: true},
	"databricks": {doubleIsText: true, backslash: true},
	"clickhouse": {hashComment: true, backslash: true},
	"mssql":      {brackets: true},
	"synapse":    {brackets: true},
	"sqlite":     {brackets: true},
	"trino":      {},
	"presto":     {},
	"athena":     {},
	"duckdb":     {},
	"vertica":    {},
	"teradata":   {},
}

// DialectOf returns the dialect of a data platform, given by the last part of its URN. For an
// unknown platform, DialectOf returns an unsure dialect.
func DialectOf(platform string) Dialect {
	if d, ok := dialects[strings.ToLower(platform)]; ok {
		return d
	}
	return Dialect{unsure: true}
}
