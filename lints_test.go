package headwater_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A lint is a rule about the source that no linter of others has.
type lint struct {
	name string
	// of reports whether the rule is about a file.
	of func(f file) bool
	// find returns the places where a file breaks the rule.
	find func(parsed *ast.File) []place
	// instead says what code should do instead.
	instead string
	// excused are the files, or the functions of files ("file.go function"), that may break the
	// rule, with the reason.
	excused map[string]string
}

// place is a place in a file, with the function around it, "" for none.
type place struct {
	at       token.Pos
	function string
}

// Reasons for which a file asks the machine for the time.
const (
	readOutside  = "a source is read outside the server, and what it says is stamped by the clock of the machine that reads it"
	clockDefault = "it is the clock, unless the caller gives another one"
	measures     = "it measures how long something takes in this process"
	waits        = "it bounds how long this process waits"
	newName      = "it makes a name that is new"
)

// notProgram are the folders that are not part of the program: tests, and programs that measure and attack it
// from outside.
var notProgram = []string{"attack", "oracle", "bench", "e2e", "internal/testing/testservers", "internal/testing/testclock", "graphstore/storetest", "indexer/indextest", "catalog/catalogtest"}

func ofProgram(f file) bool { return !f.isTest() && !slices.Contains(notProgram, f.folder) }

func ofTests(f file) bool {
	return f.isTest() || slices.Contains([]string{"graphstore/storetest", "indexer/indextest", "catalog/catalogtest"}, f.folder)
}

var lints = []lint{
	{
		name: "sleep", of: ofTests, find: calls("time", "Sleep"),
		instead: "testclock.Await and testclock.Poll wait for a condition, testclock.Forward puts the clock forward, testing/synctest has a time of its own",
		excused: map[string]string{
			"catalog/search/freshness_test.go": "the index that is never level uses up the time that it may",
			"graphstore/neo4j/people_test.go":  "the time-out itself has to pass while the migration goes on",
			"e2e/freshness_test.go":            "the server is killed at any moment, whatever it does",
			"e2e/executor_test.go":             "the executors are killed at any moment, whatever they do",
		},
	},
	{
		name: "time.Now", of: ofProgram, find: moments,
		instead: "take the clock that the store and the rooms have (Options.Now), so that tests can put it forward",
		excused: map[string]string{
			"catalog/write/writer.go":                    clockDefault,
			"graphstore/clock.go":                        clockDefault,
			"internal/pace/pace.go":                      clockDefault + "; and it sets deadlines of connections",
			"sample/past.go":                             clockDefault,
			"catalog/delivery/work.go":                   measures,
			"catalog/delivery/presence.go":               measures,
			"catalog/delivery/ahead.go":                  measures,
			"catalog/follower/pace.go":                   measures,
			"catalog/replica/service.go":                 measures,
			"catalog/changelog/log.go":                   measures,
			"catalog/removal/rollback.go":                measures,
			"graphstore/storewrap/queue.go":              measures,
			"graphstore/embedded/writer.go":              measures,
			"mcp/tool.go":                                measures,
			"graphstore/neo4j/queue.go":                  measures,
			"gql/metrics.go":                             measures,
			"cmd/headwater/internal/cli/progress.go":     measures,
			"app/obs/holdings.go":                        measures,
			"app/app.go":                                 measures,
			"rest/events/select.go":                      measures,
			"catalog/feed/told.go":                       waits,
			"catalog/streams/streams.go":                 waits,
			"catalog/changelog/notes.go":                 waits,
			"catalog/changelog/changes.go":               waits,
			"graphstore/walk.go":                         waits,
			"graphstore/neo4j/open.go":                   waits,
			"rest/sse/stream.go":                         waits,
			"graphstore/embedded/backup.go":              newName,
			"indexer/typesense/open.go":                  newName,
			"kafka/replicas/send.go":                     newName,
			"cmd/headwater/internal/sending/sending.go":  newName,
			"indexer/typesense/write.go":                 "an index has no clock; only the age of what a rebuild left over is told from it",
			"connectors/postgres/postgres.go":            readOutside,
			"connectors/mysql/mysql.go":                  readOutside,
			"connectors/dbt/dbt.go":                      readOutside,
			"connectors/sqlite/sqlite.go":                readOutside,
			"connectors/run/run.go":                      readOutside,
			"connectors/internal/relational/profiles.go": "the time for profiles is one of the machine that makes them",
			"cmd/headwater/transfer/dbt.go":              "the command line stamps exposures, of which dbt records no time, by the clock of its own machine",
			"cmd/headwater/transfer/copy.go":             "the state of a copy has the time of the machine that copies, as those of other sources have",
			"cmd/headwater/sql/ingest.go":                "the command line says when it has read a statement, by the clock of its own machine",
			"cmd/headwater/check/check.go":               "the command line asks its own machine for the day on which exceptions end",
			"client/ingest/item.go":                      "the command line says when it has sent a record, by the clock of its own machine",
			"executor/lease.go":                          waits,
		},
	},
	{
		name: "go statement", of: ofGoroutines, find: goStatements,
		instead: "internal/tasks begins goroutines for the program",
		excused: map[string]string{"graphstore/embedded/writer.go crash": "it ends the process, which no recovered panic does"},
	},
	{
		name: "errgroup", of: ofProgram, find: unsafeGroups,
		instead: "safely.Func makes an error of a panic, which would end the server",
		excused: map[string]string{
			"catalog/write/ingest.go changesOf": "a panic is caught for each item, whose error it is",
			"kafka/proposals/lanes.go readAll":  "a panic is caught for each record, which is refused",
		},
	},
	{
		name: "record past the door", of: ofRooms, find: recordCalls,
		instead: "catalog/records reads and writes the small records of the server",
	},
	{
		name: "random without a seed", of: ofTests, find: unseeded,
		instead: "testseed.Of and testseed.Rand take the seed from the environment and say how to run the test again",
		excused: map[string]string{
			"client/ingest/ingest_test.go":   "a goroutine yields a random number of times, which no seed repeats",
			"client/batches/batches_test.go": "a goroutine yields a random number of times, which no seed repeats",
			"e2e/databasejudge_test.go":      "the judge has a variable of its own, which its script reads too",
		},
	},
}

// recordMethods are the methods of graphstore.Records with arguments that only they have.
var recordMethods = []string{"ListRecords", "PutRecord", "CreateRecord", "DeleteRecord"}

// ofRooms reports whether a file is of a room that must use catalog/records.
func ofRooms(f file) bool {
	return !f.isTest() && strings.HasPrefix(f.folder, "catalog") && f.folder != "catalog/records" && f.folder != "catalog/catalogtest"
}

// recordCalls finds calls of the store's methods for records.
func recordCalls(parsed *ast.File) []place {
	var found []place
	nodes(parsed, func(n ast.Node, function string) {
		if method, ok := n.(*ast.SelectorExpr); ok && slices.Contains(recordMethods, method.Sel.Name) {
			found = append(found, place{n.Pos(), function})
		}
	})
	return found
}

// goroutinesIn are the folders in which goroutines may begin by a go statement: the helper that all others
// use, generated code, and folders that are not part of the program.
var goroutinesIn = append([]string{"internal/tasks", "gql/generated"}, notProgram...)

func ofGoroutines(f file) bool { return !f.isTest() && !slices.Contains(goroutinesIn, f.folder) }

// TestLints fails where a file breaks one of the rules, and where an excuse is no longer needed.
func TestLints(t *testing.T) {
	used, read := map[string]bool{}, 0
	for _, f := range readImports(t) {
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, filepath.FromSlash(f.path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		read++
		for i := range lints {
			l := &lints[i]
			if !l.of(f) {
				continue
			}
			for _, p := range l.find(parsed) {
				excuse := f.path
				if _, whole := l.excused[excuse]; !whole {
					excuse += " " + p.function
				}
				if reason, may := l.excused[excuse]; may && reason != "" {
					used[l.name+" "+excuse] = true
				} else {
					t.Errorf("%s: %s: %s", set.Position(p.at), l.name, l.instead)
				}
			}
		}
	}
	if read < 1000 {
		t.Errorf("only %d Go files were read", read)
	}
	for i := range lints {
		for excuse := range lints[i].excused {
			if !used[lints[i].name+" "+excuse] {
				t.Errorf("%s needs no excuse for %s: delete it from lints_test.go", excuse, lints[i].name)
			}
		}
	}
}

// TestLeaksAreLookedFor fails when the tests of a package that starts work in the background do
// not look for goroutines that they leave behind.
func TestLeaksAreLookedFor(t *testing.T) {
	starts, looks := map[string]bool{}, map[string]bool{}
	for _, f := range readImports(t) {
		switch {
		case !f.isTest() && slices.Contains(f.imports, module+"internal/tasks"):
			starts[f.folder] = true
		case f.isTest() && slices.Contains(f.imports, module+"internal/testing/testleaks"):
			parsed, err := parser.ParseFile(token.NewFileSet(), filepath.FromSlash(f.path), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range calls(module+"internal/testing/testleaks", "Main")(parsed) {
				looks[f.folder] = looks[f.folder] || p.function == "TestMain"
			}
		}
	}
	if len(starts) < 5 {
		t.Errorf("only %d packages start work in the background", len(starts))
	}
	for folder := range starts {
		if !looks[folder] {
			t.Errorf("%s uses internal/tasks, and no TestMain of it calls testleaks.Main", folder)
		}
	}
}

// nodes goes through the nodes of a file, with the function around each.
func nodes(parsed *ast.File, visit func(n ast.Node, function string)) {
	for _, declared := range parsed.Decls {
		function := ""
		if f, ok := declared.(*ast.FuncDecl); ok {
			function = f.Name.Name
		}
		ast.Inspect(declared, func(n ast.Node) bool {
			visit(n, function)
			return true
		})
	}
}

// chosen returns the name that a node chooses from an imported package, "" for none.
func chosen(parsed *ast.File, n ast.Node, imported string) string {
	s, ok := n.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	of, ok := s.X.(*ast.Ident)
	if !ok || of.Name != importedAs(parsed, imported) {
		return ""
	}
	return s.Sel.Name
}

// importedAs is the name of an imported package in a file, "" if the file does not import it.
func importedAs(parsed *ast.File, imported string) string {
	for _, spec := range parsed.Imports {
		if is, err := strconv.Unquote(spec.Path.Value); err != nil || is != imported {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		name := path.Base(imported)
		if name == "v2" {
			name = path.Base(path.Dir(imported))
		}
		return name
	}
	return ""
}

// calls finds where a function of an imported package is named.
func calls(imported, function string) func(*ast.File) []place {
	return func(parsed *ast.File) []place {
		var found []place
		nodes(parsed, func(n ast.Node, around string) {
			if chosen(parsed, n, imported) == function {
				found = append(found, place{n.Pos(), around})
			}
		})
		return found
	}
}

// goStatements finds the go statements of a file.
func goStatements(parsed *ast.File) []place {
	var found []place
	nodes(parsed, func(n ast.Node, function string) {
		if begin, ok := n.(*ast.GoStmt); ok {
			found = append(found, place{begin.Go, function})
		}
	})
	return found
}

// unsafeGroups finds the functions that errgroup runs as they are.
func unsafeGroups(parsed *ast.File) []place {
	if !slices.ContainsFunc(parsed.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"golang.org/x/sync/errgroup"` }) {
		return nil
	}
	var found []place
	nodes(parsed, func(n ast.Node, function string) {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return
		}
		method, isMethod := call.Fun.(*ast.SelectorExpr)
		run, isFunction := call.Args[0].(*ast.FuncLit)
		if isMethod && isFunction && method.Sel.Name == "Go" && run.Type.Results != nil {
			found = append(found, place{call.Pos(), function})
		}
	})
	return found
}

// sources are the functions of math/rand that take a seed, or a source.
var sources = []string{"New", "NewPCG", "NewSource", "NewChaCha8", "NewZipf", "Rand", "Source", "PCG"}

// unseeded finds where a file draws numbers that no seed repeats.
func unseeded(parsed *ast.File) []place {
	var found []place
	nodes(parsed, func(n ast.Node, function string) {
		for _, imported := range []string{"math/rand", "math/rand/v2"} {
			if name := chosen(parsed, n, imported); name != "" && !slices.Contains(sources, name) {
				found = append(found, place{n.Pos(), function})
			}
		}
	})
	return found
}

// moments finds the calls by which a file asks for the time, except for a variable that only
// time.Since reads.
func moments(parsed *ast.File) []place {
	var found []place
	for _, declared := range parsed.Decls {
		function := ""
		if f, ok := declared.(*ast.FuncDecl); ok {
			function = f.Name.Name
		}
		begun, since, named := map[string][]ast.Expr{}, map[string]int{}, map[string]int{}
		ast.Inspect(declared, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, to := range n.Lhs {
					name, ok := to.(*ast.Ident)
					if !ok || n.Tok != token.DEFINE || len(n.Lhs) != len(n.Rhs) {
						continue
					}
					if call, ok := n.Rhs[i].(*ast.CallExpr); ok && chosen(parsed, call.Fun, "time") == "Now" {
						begun[name.Name] = append(begun[name.Name], call.Fun)
						named[name.Name]--
					}
				}
			case *ast.CallExpr:
				if chosen(parsed, n.Fun, "time") == "Since" {
					if name, ok := n.Args[0].(*ast.Ident); ok {
						since[name.Name]++
					}
				}
			case *ast.Ident:
				named[n.Name]++
			}
			return true
		})
		var durations []ast.Expr
		for name, asked := range begun {
			if named[name] == since[name] {
				durations = append(durations, asked...)
			}
		}
		ast.Inspect(declared, func(n ast.Node) bool {
			if asked, ok := n.(*ast.SelectorExpr); ok && chosen(parsed, n, "time") == "Now" && !slices.Contains(durations, ast.Expr(asked)) {
				found = append(found, place{n.Pos(), function})
			}
			return true
		})
	}
	return found
}

// TestFinders shows the findings of each rule on examples.
func TestFinders(t *testing.T) {
	for name, c := range map[string]struct {
		find   func(*ast.File) []place
		source string
		in     []string
	}{
		"go statements": {goStatements, `var f = func() { go g() }
func h() { if true { defer func() { go func() {}() }() } }
func quiet() { g() }`, []string{"", "h"}},
		"sleep": {calls("time", "Sleep"), `import "time"
func a() { time.Sleep(1) }
func b() { _ = func() { defer time.Sleep(1) } }
func c() { clock.Sleep(1) }`, []string{"a", "b"}},
		"moments": {moments, `import "time"
func measured() { began, n := time.Now(), 1; g(n, time.Since(began)) }
func stored() { at := time.Now(); g(at.UnixMilli(), time.Since(at)) }
func shown() { g(time.Now().Add(-1)) }
func given() { now := time.Now; g(now) }`, []string{"stored", "shown", "given"}},
		"random": {unseeded, `import r "math/rand/v2"
func a() { r.IntN(3) }
func b() { r.New(r.NewPCG(1, 2)).IntN(3) }`, []string{"a"}},
		"groups": {unsafeGroups, `import "golang.org/x/sync/errgroup"
func a() { var g errgroup.Group; g.Go(func() error { return nil }) }
func b() { var g errgroup.Group; g.Go(safely.Func(func() error { return nil })) }
func c() { tasks.Go("named", func() {}) }`, []string{"a"}},
		"another rand": {unseeded, `import "crypto/rand"
func a() { rand.Text() }`, nil},
	} {
		parsed, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+c.source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		var in []string
		for _, p := range c.find(parsed) {
			in = append(in, p.function)
		}
		if !slices.Equal(in, c.in) {
			t.Errorf("%s: found in %q, want %q", name, strings.Join(in, ","), strings.Join(c.in, ","))
		}
	}
}
