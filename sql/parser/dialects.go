package parser

import (
	"slices"
	"strings"
)

// dialects maps the names by which platforms and people call a dialect to the parser's name.
var dialects = map[string]string{
	"generic": "generic", "ansi": "generic",
	"athena": "athena", "bigquery": "bigquery", "clickhouse": "clickhouse", "cockroachdb": "cockroachdb",
	"databricks": "databricks", "doris": "doris", "dremio": "dremio", "drill": "drill", "druid": "druid",
	"duckdb": "duckdb", "exasol": "exasol", "fabric": "fabric", "hive": "hive", "materialize": "materialize",
	"mysql": "mysql", "mariadb": "mysql", "oracle": "oracle",
	"postgres": "postgresql", "postgresql": "postgresql", "greenplum": "postgresql", "vertica": "postgresql",
	"presto": "presto", "redshift": "redshift", "risingwave": "risingwave", "singlestore": "singlestore",
	"snowflake": "snowflake", "spark": "spark", "sqlite": "sqlite", "starrocks": "starrocks",
	"teradata": "teradata", "tidb": "tidb", "trino": "trino", "iceberg": "trino",
	"tsql": "tsql", "mssql": "tsql", "sqlserver": "tsql", "synapse": "tsql",
}

// DialectOf returns the parser's name of a dialect, given by the name of a data platform or by a
// usual name, in any case.
func DialectOf(name string) (string, bool) {
	dialect, known := dialects[strings.ToLower(name)]
	return dialect, known
}

// Dialects are the names that DialectOf knows, sorted.
func Dialects() []string {
	names := make([]string, 0, len(dialects))
	for name := range dialects {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
