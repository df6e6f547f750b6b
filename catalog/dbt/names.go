package dbt

import (
	"strings"

	"github.com/headwater-io/headwater/sql/lineage"
	"github.com/headwater-io/headwater/sql/parser"
)

// folding returns the function that gives a column's name the letter case in which the client writes it, for columns
// that only the SQL of a dialect names. It is nil if the client writes the name as the SQL does.
func folding(dialect string) func(name string, quoted bool) string {
	known, _ := parser.DialectOf(dialect)
	switch known {
	case "clickhouse", "doris", "singlestore", "starrocks", "generic":
		return nil
	case "exasol":
		return unquoted(strings.ToUpper)
	case "postgresql", "cockroachdb", "materialize", "risingwave", "mysql", "tidb", "dremio", "drill", "druid":
		return unquoted(strings.ToLower)
	}
	return func(name string, _ bool) string { return strings.ToLower(name) }
}

// unquoted folds the names that are in no quotes.
func unquoted(fold func(string) string) func(name string, quoted bool) string {
	return func(name string, quoted bool) string {
		if quoted {
			return name
		}
		return fold(name)
	}
}

// named returns the name of an output that the client gives a column. Where it takes names as Databricks does, a column without an alias has
// the letter case of the table.
func (r *columnReading) named(out *lineage.Output) string {
	switch known, _ := parser.DialectOf(r.dialect); {
	case lowersColumns(r.dialect):
		return strings.ToLower(out.Output)
	case known == "databricks" && !out.Aliased && out.How == lineage.Identity && len(out.Sources) == 1 && strings.EqualFold(out.Sources[0].Column, out.Output):
		return out.Sources[0].Column
	}
	return out.Output
}

// lowersColumns reports whether the client writes all columns of the code of a dialect in lower case, including the
// columns of "*".
func lowersColumns(dialect string) bool {
	known, _ := parser.DialectOf(dialect)
	switch known {
	case "bigquery", "snowflake", "teradata", "tsql", "fabric", "oracle":
		return true
	}
	return false
}
