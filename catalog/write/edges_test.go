package write_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Edge statements come into a batch through one function; statements of a replica's source, which have their
// stamps, through another. The stores read these fields, and the benches load stores without a catalog; no
// other code names them.
func TestEdgesHaveOneWayIn(t *testing.T) {
	fields := []string{"EndEdges", "UpdateEdges", "AddEdges", "EnsureEdges", "AddEnded"}
	found := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && slices.Contains([]string{"graphstore", "bench", ".git", "node_modules"}, entry.Name()) {
			return fs.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(function, func(n ast.Node) bool {
				if name, ok := n.(*ast.Ident); ok && slices.Contains(fields, name.Name) {
					found[function.Name.Name] = true
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"mirrorEdges", "writeEdges"}, slices.Sorted(maps.Keys(found))); diff != "" {
		t.Errorf("functions that put edge statements into a batch (-want +got):\n%s", diff)
	}
}
