package headwater_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// goroutinesIn are the folders in which goroutines may begin by a go statement: the helper
// that all others use, what is generated, and what is not part of the program.
var goroutinesIn = []string{"internal/tasks", "gql/generated", "attack", "oracle", "bench", "e2e", "internal/testing/testservers", "graphstore/storetest", "indexer/indextest"}

// goroutinesOf are single functions that may have one, with the reason.
var goroutinesOf = map[string]string{
	"graphstore/embedded/writer.go crash": "it ends the process, which no recovered panic does",
}

// TestGoroutines fails where a goroutine begins outside of internal/tasks, so that each has
// an owner who waits for it, and no panic in it ends the process.
func TestGoroutines(t *testing.T) {
	used, files := map[string]bool{}, 0
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if entry.IsDir() {
			if slices.Contains(goroutinesIn, name) || entry.Name() == "node_modules" || strings.HasPrefix(entry.Name(), ".") && name != "." {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		files++
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for place, at := range goStatements(name, parsed) {
			if _, may := goroutinesOf[place]; may {
				used[place] = true
			} else {
				t.Errorf("%s begins a goroutine: internal/tasks does that for the program", set.Position(at))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 {
		t.Errorf("only %d Go files were read", files)
	}
	for place := range goroutinesOf {
		if !used[place] {
			t.Errorf("%s begins no goroutine: delete it from the exceptions", place)
		}
	}
}

// goStatements are the go statements of a file, by the file and the function.
func goStatements(name string, file *ast.File) map[string]token.Pos {
	found := map[string]token.Pos{}
	for _, declared := range file.Decls {
		function := ""
		if f, ok := declared.(*ast.FuncDecl); ok {
			function = f.Name.Name
		}
		ast.Inspect(declared, func(n ast.Node) bool {
			if begin, ok := n.(*ast.GoStmt); ok {
				found[name+" "+function] = begin.Go
			}
			return true
		})
	}
	return found
}

// TestGoStatements shows on an example that a goroutine is found wherever it begins.
func TestGoStatements(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", `package x
var f = func() { go g() }
func h() { if true { defer func() { go func() {}() }() } }
func quiet() { g() }
`, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := goStatements("x.go", file)
	if len(found) != 2 || found["x.go "] == 0 || found["x.go h"] == 0 {
		t.Errorf("found %v", found)
	}
}
