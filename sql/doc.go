// Package sql says which columns of a table a statement reads, and in which clauses.
//
// The package has a tokenizer with a light reader of queries over it, not a parser of a
// dialect. The reader knows comments, strings, quoted names, clauses, table aliases, common
// table expressions, subqueries and templates of dbt. Where a statement leaves a doubt, the
// answer is that the statement names the column. The package reads text alone: it knows no
// store, and no schema except the columns that the caller gives.
package sql
