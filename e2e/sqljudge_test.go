package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// Environment variables of TestSQL, besides HEADWATER_TEST_SQL, without which it does not run.
const (
	// sqlBinary is a built program to judge instead of one that the test builds.
	sqlBinary = "HEADWATER_SQLJUDGE_BINARY"
	// sqlFixtures is the folder of other people's expectations; see e2e/sqljudge/fixtures.py.
	sqlFixtures = "HEADWATER_SQLJUDGE_FIXTURES"
	// sqlResults is a folder that receives the result of each statement.
	sqlResults = "HEADWATER_SQLJUDGE_RESULTS"
)

const sqlPage = "docs/sql-correctness.md"

// The seed and the numbers of generated statements, and of views for each database.
const (
	sqlSeed       = "44"
	sqlStatements = "2000"
	sqlViews      = "400"
	sqlEngines    = "200"
)

// TestSQL compares the answers of the command sql about statements with the answers of other parsers and databases,
// and with the tables of docs/sql-correctness.md. It installs a database engine, so it runs only if
// HEADWATER_TEST_SQL is set, as in make test-sql.
func TestSQL(t *testing.T) {
	if os.Getenv("HEADWATER_TEST_SQL") == "" {
		t.Skip("make test-sql compares the lineage of SQL with other parsers and with databases")
	}
	j := newSQLJudge(t)
	page, err := os.ReadFile(filepath.Join(testservers.Root(), sqlPage))
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for _, section := range []struct {
		name string
		run  func(t *testing.T) map[string]string
	}{
		{"notices", j.notices}, {"generated", j.generated}, {"databases", j.databases}, {"others", j.others},
	} {
		t.Run(section.name, func(t *testing.T) {
			for name, rows := range section.run(t) {
				if text, err = withSection(text, name, rows); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	switch {
	case *update:
		if err := os.WriteFile(filepath.Join(testservers.Root(), sqlPage), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	case text != string(page):
		t.Errorf("%s says something else than was measured; run the test with -update and look at the difference:\n%s", sqlPage, text)
	}
}

// withSection returns the page with other rows between the markers of a section.
func withSection(page, name, rows string) (string, error) {
	begin, end := "<!-- written by TestSQL: "+name+" -->\n", "<!-- end -->"
	before, rest, found := strings.Cut(page, begin)
	_, after, ends := strings.Cut(rest, end)
	if !found || !ends {
		return "", fmt.Errorf("%s lacks the section %q", sqlPage, name)
	}
	return before + begin + rows + end + after, nil
}

// sqlJudge runs the programs that say how SQL is to be read, each of which runs the command sql.
type sqlJudge struct {
	python, binary, cache string
}

func newSQLJudge(t *testing.T) *sqlJudge {
	t.Helper()
	j := &sqlJudge{python: filepath.Join(pythonFor(t, "sqljudge"), "bin", "python"), cache: t.TempDir(), binary: os.Getenv(sqlBinary)}
	if j.binary == "" {
		path, err := binary()
		if err != nil {
			t.Fatal(err)
		}
		j.binary = path
	}
	return j
}

// run runs a Python program of e2e/sqljudge, and returns its output.
func (j *sqlJudge) run(t *testing.T, input []byte, name string, arguments ...string) []byte {
	t.Helper()
	command := exec.Command(j.python, append([]string{filepath.Join(testservers.Root(), "e2e", "sqljudge", name)}, arguments...)...)
	command.Stdin = bytes.NewReader(input)
	command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "HEADWATER_SQLJUDGE_CACHE="+j.cache)
	var told bytes.Buffer
	command.Stderr = &told
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, &told)
	}
	return out
}

// results reads results, one a line, and stores them if somebody wants them.
func (j *sqlJudge) results(t *testing.T, name string, lines []byte) []sqlResult {
	t.Helper()
	if folder := os.Getenv(sqlResults); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, name+".jsonl"), lines, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var results []sqlResult
	for line := range bytes.Lines(lines) {
		var r sqlResult
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		results = append(results, r)
	}
	return results
}

// guessing is a program that answers every file with a column of a table that is not there.
const guessing = `#!/bin/sh
for file; do
  case "$file" in
  *.sql) echo '{"file":"'"$file"'","kind":"select","reads":["nowhere"],"writes":[],"columns":[{"output":"x","sources":[{"table":"nowhere","column":"x"}],"how":"identity"}],"columnsRead":[],"notUnderstood":[]}' ;;
  esac
done
`

// notices lets the judge compare a program that guesses: nothing that it says may count as right.
func (j *sqlJudge) notices(t *testing.T) map[string]string {
	program := filepath.Join(t.TempDir(), "guess")
	if err := os.WriteFile(program, []byte(guessing), 0o755); err != nil {
		t.Fatal(err)
	}
	expected := j.run(t, j.run(t, nil, "generate.py", sqlSeed, "40", "postgres", "snowflake"), "expect.py")
	all := figuresBy(j.results(t, "guessed", j.run(t, expected, "score.py", program)), func(sqlResult) []string { return []string{"all"} })[0]
	if all.judged < 35 || all.edges[0] != 0 || all.edges[1] == 0 || all.edges[2] == 0 || all.reads[0] != 0 || all.reads[2] == 0 {
		t.Errorf("a program that guesses is judged as %+v", *all)
	}
	return nil
}

// generated judges generated statements by sqlglot.
func (j *sqlJudge) generated(t *testing.T) map[string]string {
	expected := j.run(t, j.run(t, nil, "generate.py", sqlSeed, sqlStatements), "expect.py")
	results := j.results(t, "generated", j.run(t, expected, "score.py", j.binary))
	dialects := figuresBy(results, func(r sqlResult) []string { return []string{r.Dialect} })
	all := figuresBy(results, func(sqlResult) []string { return []string{"all"} })
	all[0].require(t, 0.97, 0.98, 0.95)
	for _, f := range dialects {
		f.require(t, 0.95, 0.98, 0.95) // 1 % is one or two statements
	}
	if n := all[0].statements; n < 2000 {
		t.Errorf("%d statements were judged, which must be 2,000 or more", n)
	}
	return map[string]string{
		"dialects":   figuresTable("dialect", append(dialects, all...)),
		"constructs": constructsTable(figuresBy(results, func(r sqlResult) []string { return r.Kinds })),
		"mistakes":   mistakesTable(results),
	}
}

// databases judges views by the databases that have them.
func (j *sqlJudge) databases(t *testing.T) map[string]string {
	views := j.results(t, "postgres", j.run(t, nil, "postgres.py", testservers.Postgres(t), j.binary, sqlSeed, sqlViews))
	postgres := figuresBy(views, func(sqlResult) []string { return []string{"PostgreSQL"} })
	if n := postgres[0].statements; n < 300 {
		t.Errorf("PostgreSQL judged %d views, which must be 300 or more", n)
	}
	engines := j.results(t, "engines", j.run(t, nil, "engines.py", j.binary, sqlSeed, sqlEngines))
	names := map[string]string{"duckdb": "DuckDB", "sqlite": "SQLite"}
	others := figuresBy(engines, func(r sqlResult) []string { return []string{names[r.Dialect]} })
	for _, f := range append(postgres, others...) {
		f.requireReads(t, 0.99)
	}
	return map[string]string{
		"databases":         databasesTable(append(postgres, others...)),
		"database mistakes": mistakesTable(append(views, engines...)),
	}
}

// others judges by the expectations that other people's tests have.
func (j *sqlJudge) others(t *testing.T) map[string]string {
	folder := os.Getenv(sqlFixtures)
	if folder == "" {
		t.Skipf("%s names the folder with the expectations of other people's parsers", sqlFixtures)
	}
	results := j.results(t, "others", j.run(t, j.run(t, nil, "fixtures.py", folder), "score.py", j.binary))
	figures := figuresBy(results, func(r sqlResult) []string { return r.Kinds })
	all := figuresBy(results, func(sqlResult) []string { return []string{"all"} })
	all[0].require(t, 0.97, 0.98, 0.95)
	return map[string]string{"others": figuresTable("tests", append(figures, all...)), "other mistakes": differencesTable(results)}
}
