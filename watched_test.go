package headwater_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unwatched are the folders whose goroutines "make test" does not watch for races, with the reason.
var unwatched = map[string]string{
	"access/policies":              "its goroutines share the work of a comparison, and nothing else",
	"attack":                       "it attacks a server in another process",
	"bench":                        "it measures",
	"catalog/cases":                "its goroutine follows the change log, which catalog/search and catalog/follower test too",
	"catalog/catalogtest":          "it is a helper of the tests of other packages",
	"cmd/headwater":                "its tests drive a server in another process",
	"cmd/headwater/notify":         "its tests drive a server in another process",
	"cmd/headwater/operate":        "its tests drive a server in another process",
	"cmd/headwater/serve":          "app, which it starts, is watched",
	"e2e":                          "its tests drive a server in another process",
	"graphstore/storetest":         "the tests of both stores run it",
	"indexer/indextest":            "the tests of both indexes run it",
	"internal/testing/testcatalog": "it is a helper of the tests of other packages",
	"internal/testing/testservers": "it is a helper of the tests of other packages",
}

// TestWatched fails where a package begins goroutines, in its code or in its tests, and "make test" does not
// watch it for races.
func TestWatched(t *testing.T) {
	whole, partly, tests := watched(t)
	begins := map[string]bool{}
	for _, f := range readImports(t) {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.FromSlash(f.path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		nodes(parsed, func(n ast.Node, function string) {
			if !beginsGoroutine(n) {
				return
			}
			begins[f.folder] = true
			if slices.Contains(partly, f.folder) && strings.HasPrefix(function, "Test") && !tests.MatchString(function) {
				t.Errorf("%s: %s begins goroutines, and WATCHED_TESTS in the Makefile does not name it", f.path, function)
			}
		})
	}
	if len(begins) < 40 {
		t.Errorf("only %d packages begin goroutines", len(begins))
	}
	lists := slices.Concat(whole, partly, slices.Collect(maps.Keys(unwatched)))
	for folder := range begins {
		if !slices.Contains(lists, folder) {
			t.Errorf("%s begins goroutines: name it in WATCHED in the Makefile", folder)
		}
	}
	for _, folder := range lists {
		if !begins[folder] {
			t.Errorf("%s begins no goroutines: it needs no place in WATCHED, WATCHED_IN or unwatched", folder)
		}
	}
}

// watched reads the lists of the Makefile: watched packages, packages of which only some tests are watched,
// and the names of these tests.
func watched(t *testing.T) (whole, partly []string, tests *regexp.Regexp) {
	t.Helper()
	text, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.ReplaceAll(string(text), "\\\n", " ")
	value := func(name string) string {
		found := regexp.MustCompile(`(?m)^` + name + ` := (.*)$`).FindStringSubmatch(lines)
		if found == nil {
			t.Fatalf("the Makefile does not set %s", name)
		}
		return strings.ReplaceAll(found[1], "$$", "$")
	}
	return strings.Fields(value("WATCHED")), strings.Fields(value("WATCHED_IN")), regexp.MustCompile(value("WATCHED_TESTS"))
}

// beginsGoroutine reports whether a node begins a goroutine: a go statement, the method Go of a group, or safely.Each.
func beginsGoroutine(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		return true
	case *ast.CallExpr:
		method, ok := n.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		of, _ := method.X.(*ast.Ident)
		return method.Sel.Name == "Go" || of != nil && of.Name == "safely" && method.Sel.Name == "Each"
	}
	return false
}
