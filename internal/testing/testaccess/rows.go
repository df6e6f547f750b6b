package testaccess

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// Rows reads a table of requests from the attack "dearest", which has a row for each reading door.
func Rows(t testing.TB, table string) map[string]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(testservers.Root(), "attack", "dearrows.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || spec.Names[0].Name != table {
			return true
		}
		for _, element := range spec.Values[0].(*ast.CompositeLit).Elts {
			pair := element.(*ast.KeyValueExpr)
			key, _ := strconv.Unquote(pair.Key.(*ast.BasicLit).Value)
			rows[key], err = strconv.Unquote(pair.Value.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
		}
		return false
	})
	if len(rows) == 0 {
		t.Fatal("no rows in", table)
	}
	return rows
}
