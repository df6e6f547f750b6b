// Package lineage says which tables and columns SQL reads and writes, and from which columns
// each output column takes its values.
//
// The package walks the trees of package parser. It knows scopes: common table expressions,
// derived tables, lateral and correlated queries, set operations, and temporary tables across the
// statements of a script. It reads text alone; the columns of tables come from the caller.
package lineage
