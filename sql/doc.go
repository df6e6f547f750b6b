// Package sql says which columns of a table a statement reads, and in which clauses.
//
// It is a tokenizer with a light reader of queries over it, not a parser of a dialect: it
// knows comments, strings, quoted names, clauses, table aliases, common table expressions,
// subqueries and templates of dbt. Where a statement leaves a doubt, the answer is that
// the statement names the column. The package reads text alone: it knows no store and no
// schema but the one that it is given.
package sql
