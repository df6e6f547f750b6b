package e2e

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// producer is a program that sends events of OpenLineage. It runs unmodified, with its own configuration only.
type producer struct {
	// test is the name of the subtest, folder the folder below e2e/producers that pins the Python packages, "" for
	// none.
	test, folder string
	// name and ran are the page's words for the producer and for the job that ran. more is a version besides
	// the pinned versions.
	name, ran, more string
	run             func(t *testing.T, s *server, venv string)
	checks          []producerCheck
}

// producerCheck is something that the catalog has after the producer has run.
type producerCheck struct {
	text string
	of   func(s *server) error
}

// producers are the producers in the order of the page.
func producers() []producer {
	return []producer{dbtProducer(), dbtLiveProducer(), sparkProducer(), airflowProducer(), flinkProducer(), javaProducer()}
}

// TestProducers runs producers of OpenLineage against the built server, and compares the entities that the catalog
// then has with the table of docs/openlineage.md. It installs hundreds of megabytes, so it runs only if
// HEADWATER_TEST_PRODUCERS is set, as in make test-openlineage.
func TestProducers(t *testing.T) {
	if os.Getenv("HEADWATER_TEST_PRODUCERS") == "" {
		t.Skip("make test-openlineage runs the producers of OpenLineage")
	}
	file := filepath.Join(testservers.Root(), "docs", "openlineage.md")
	var rows []string
	for _, p := range producers() {
		t.Run(p.test, func(t *testing.T) {
			venv := ""
			if p.folder != "" {
				venv = pythonFor(t, "producers/"+p.folder)
			}
			s := start(t, backends()[0].flags(t)...)
			p.run(t, s, venv)
			rows = append(rows, p.row(t, s))
			s.stop()
		})
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	if *update {
		if text, err = withProducers(text, rows); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range rows {
		if !slices.Contains(tableRows(text), row) {
			t.Errorf("docs/openlineage.md lacks what was measured; run the test with -update and look at the difference:\n%s", row)
		}
	}
}

// row checks the entities of the catalog, and returns the row of the page.
func (p producer) row(t *testing.T, s *server) string {
	t.Helper()
	var has []string
	for _, c := range p.checks {
		if err := c.of(s); err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		has = append(has, c.text)
	}
	return "| " + strings.Join([]string{p.name, p.versions(t), p.ran, strings.Join(has, "; ")}, " | ") + " |"
}

// versions are the versions that are pinned for the producer.
func (p producer) versions(t *testing.T) string {
	t.Helper()
	if p.folder == "" {
		return p.more
	}
	pins, err := os.ReadFile(filepath.Join("producers", p.folder, "requirements.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var versions []string
	for _, line := range strings.Split(string(pins), "\n") {
		if name, version, found := strings.Cut(line, "=="); found {
			versions = append(versions, name+" "+version)
		}
	}
	if p.more != "" {
		versions = append(versions, p.more)
	}
	return strings.Join(versions, ", ")
}

const (
	producersBegin = "<!-- written by TestProducers -->\n| producer | versions | what was run | what the catalog then has |\n| --- | --- | --- | --- |\n"
	producersEnd   = "<!-- end -->"
)

// withProducers returns the page with new rows. The rows of producers that did not run stay.
func withProducers(page string, rows []string) (string, error) {
	before, rest, found := strings.Cut(page, producersBegin)
	table, after, ends := strings.Cut(rest, producersEnd)
	if !found || !ends {
		return "", errors.New("docs/openlineage.md lacks the table of producers")
	}
	known := slices.Concat(rows, tableRows(table))
	table = ""
	for _, p := range producers() {
		if i := slices.IndexFunc(known, func(row string) bool { return strings.HasPrefix(row, "| "+p.name+" |") }); i >= 0 {
			table += known[i] + "\n"
		}
	}
	return before + producersBegin + table + producersEnd + after, nil
}

// runProgram runs a program of a producer in a folder, with variables that configure it. It checks whether the program
// ends as it should: with an error if fails is true.
func runProgram(t *testing.T, folder, program string, arguments []string, fails bool, environment ...string) {
	t.Helper()
	cmd := exec.Command(program, arguments...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "PATH="+filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.Env = append(cmd.Env, environment...)
	if out, err := cmd.CombinedOutput(); (err != nil) != fails {
		t.Fatalf("%s %v: %v\n%s", filepath.Base(program), arguments, err, out)
	}
}

// writeFiles writes files into a folder by their names.
func writeFiles(t testing.TB, folder string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// producedRun is a run of a job as GraphQL tells of it.
type producedRun struct {
	urn, result, parent string
	begin, end          float64
}

// runsOf returns the runs of a job, the latest first.
func (s *server) runsOf(job string) ([]producedRun, error) {
	query := fmt.Sprintf(`{"query":"{ dataJob(urn:\"%s\") { runs(count: 20) { runs { urn state(limit: 10) { status timestampMillis result { resultType } } relationships(input: {types: [\"ChildOf\"], direction: OUTGOING, count: 5}) { relationships { entity { urn } } } } } } }"}`, job)
	status, answer := s.send(http.MethodPost, "/api/graphql", query)
	list, _ := at(answer, "data", "dataJob", "runs", "runs").([]any)
	if status != http.StatusOK || len(list) == 0 {
		return nil, fmt.Errorf("%s ran never: %d %v", job, status, answer)
	}
	var runs []producedRun
	for _, one := range list {
		run := producedRun{urn: fmt.Sprint(at(one, "urn"))}
		run.parent, _ = at(one, "relationships", "relationships", 0, "entity", "urn").(string)
		states, _ := at(one, "state").([]any)
		for _, state := range states {
			moment, _ := at(state, "timestampMillis").(float64)
			if at(state, "status") == "STARTED" {
				run.begin = moment
				continue
			}
			run.end = moment
			run.result, _ = at(state, "result", "resultType").(string)
		}
		runs = append(runs, run)
	}
	slices.SortFunc(runs, func(a, b producedRun) int { return cmp.Compare(b.begin, a.begin) })
	return runs, nil
}

// ranAs checks that each run of a job has a begin, a later end, the result and, unless it is "", a parent that is a
// run of the job named parent.
func (s *server) ranAs(job string, runs int, result, parent string) error {
	all, err := s.runsOf(job)
	if err != nil {
		return err
	}
	if len(all) != runs {
		return fmt.Errorf("%s ran %d times: %v", job, len(all), all)
	}
	var parents []producedRun
	if parent != "" {
		if parents, err = s.runsOf(parent); err != nil {
			return err
		}
	}
	for _, run := range all {
		isRun := func(p producedRun) bool { return p.urn == run.parent }
		if run.begin == 0 || run.end < run.begin || run.result != result || (parent == "") != (run.parent == "") || parent != "" && !slices.ContainsFunc(parents, isRun) {
			return fmt.Errorf("the run of %s is %+v; the runs of %q are %v", job, run, parent, parents)
		}
	}
	return nil
}

// follows checks that entities are upstream of another one: each after any number of steps.
func (s *server) follows(from string, upstream ...string) error {
	status, answer := s.send(http.MethodGet, "/lineage/"+url.PathEscape(from)+"?direction=UPSTREAM", "")
	var got []string
	list, _ := at(answer, "entities").([]any)
	for _, one := range list {
		got = append(got, fmt.Sprint(at(one, "urn")))
	}
	for _, want := range upstream {
		if !slices.Contains(got, want) {
			return fmt.Errorf("%s is not upstream of %s: %d %v", want, from, status, got)
		}
	}
	return nil
}

// hasAspect checks that the latest value of an aspect contains texts.
func (s *server) hasAspect(entityType, urn, aspect string, texts ...string) error {
	status, answer := s.send(http.MethodGet, "/openapi/v3/entity/"+entityType+"/"+url.PathEscape(urn)+"/"+aspect, "")
	got := text(answer)
	for _, want := range texts {
		if status != http.StatusOK || !strings.Contains(got, want) {
			return fmt.Errorf("%s of %s lacks %s: %d %s", aspect, urn, want, status, got)
		}
	}
	return nil
}

// columnOf is the URN of a column.
func columnOf(dataset, column string) string {
	return "urn:li:schemaField:(" + dataset + "," + column + ")"
}
