package headwater_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const limitsFolder = "internal/limits"

// edgeless are the limits that no test meets at their edge for a reason that stays.
var edgeless = map[string]string{
	"CheckCatalogBytes":        "a file at the edge would take 512 MiB in a test",
	"LaneWait":                 "a duration: tests give the lane a shorter one",
	"LineBodies":               "a factor of other limits",
	"MaxIndexHoldBack":         "a duration: a write at the edge would wait for all of it",
	"MaxKafkaFetchBytes":       "the client of Kafka keeps it, and a batch at the edge has 256 MiB",
	"MaxQueuedWriteTime":       "a duration: tests give the store a shorter one",
	"MaxSQLParserBytes":        "the memory of a module, which no text fills exactly",
	"MaxSQLTreeBytes":          "the size of what the parser of SQL makes of a text, which no text meets exactly",
	"MaxWebhookAge":            "a duration: tests give the service a shorter one (webhooks.Retry)",
	"MaxWebhookAttempts":       "tests give the service fewer (webhooks.Retry), because attempts take time",
	"MaxWebhookPause":          "a duration: tests give the service a shorter one (webhooks.Retry)",
	"MinBodyRate":              "a rate over the idle time, which no clock of a test sets exactly",
	"PollSeconds":              "a duration: a longer poll is answered as this one, which lasts as long",
	"RequestMemoryWaitSeconds": "a duration",
	"RestOfBodySeconds":        "a duration: a body at the edge would be sent for as long",
	"RollbackPart":             "about how many rows a part has: it ends with an entity",
	"RollbackPreview":          "about how many rows a part has: it ends with an entity",
	"SQLParseTime":             "a duration, which no text takes exactly",
	"SQLReadTime":              "a duration, which no text takes exactly",
	"StreamWrite":              "a duration: tests give the streams a shorter one",
}

// TestLimitsAreNamed fails when no test names a limit, or the constant that only repeats it. The
// default sizes are no limits, so that they have no edge.
func TestLimitsAreNamed(t *testing.T) {
	names, aliases, tests := limitNames(t), map[string]string{}, []*ast.File{}
	for _, f := range readImports(t) {
		if f.folder == limitsFolder {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.FromSlash(f.path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if f.isTest() {
			tests = append(tests, parsed)
		} else {
			aliasesOfLimits(f.folder, parsed, aliases)
		}
	}
	named := map[string]bool{}
	for _, parsed := range tests {
		ast.Inspect(parsed, func(n ast.Node) bool {
			if chosen, ok := n.(*ast.SelectorExpr); ok {
				if of, ok := chosen.X.(*ast.Ident); ok {
					named[of.Name+"."+chosen.Sel.Name] = true
				}
			}
			if name, ok := n.(*ast.Ident); ok {
				named[strings.TrimSuffix(parsed.Name.Name, "_test")+"."+name.Name] = true
			}
			return true
		})
	}
	for _, name := range names {
		isNamed := named["limits."+name]
		for alias, of := range aliases {
			isNamed = isNamed || of == name && named[alias]
		}
		reason, never := edgeless[name]
		switch {
		case isNamed && never:
			t.Errorf("a test names %s: delete it from limitsnamed_test.go", name)
		case !isNamed && !never:
			t.Errorf("no test names limits.%s: write one in which exactly so many pass and one more is refused", name)
		case never && reason == "":
			t.Errorf("%s stands in limitsnamed_test.go without a reason", name)
		}
	}
	for name := range edgeless {
		if !slices.Contains(names, name) {
			t.Errorf("%s is no limit: delete it from limitsnamed_test.go", name)
		}
	}
}

// limitNames are the exported constants of internal/limits without the default sizes.
func limitNames(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.FromSlash(limitsFolder), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		eachConstant(parsed, func(name string, _ ast.Expr) {
			if token.IsExported(name) && !strings.HasPrefix(name, "Default") {
				names = append(names, name)
			}
		})
	}
	if len(names) < 150 {
		t.Fatalf("only %d limits were found", len(names))
	}
	return names
}

// aliasesOfLimits adds the constants of a file that are nothing but a limit.
func aliasesOfLimits(folder string, parsed *ast.File, aliases map[string]string) {
	eachConstant(parsed, func(name string, value ast.Expr) {
		if chosen, ok := value.(*ast.SelectorExpr); ok {
			if of, ok := chosen.X.(*ast.Ident); ok && of.Name == filepath.Base(limitsFolder) {
				aliases[filepath.Base(folder)+"."+name] = chosen.Sel.Name
			}
		}
	})
}

// eachConstant goes through the constants of a file, outside of functions.
func eachConstant(parsed *ast.File, do func(name string, value ast.Expr)) {
	for _, declared := range parsed.Decls {
		constants, ok := declared.(*ast.GenDecl)
		if !ok || constants.Tok != token.CONST {
			continue
		}
		for _, spec := range constants.Specs {
			of := spec.(*ast.ValueSpec)
			for i, name := range of.Names {
				if i < len(of.Values) {
					do(name.Name, of.Values[i])
				}
			}
		}
	}
}
