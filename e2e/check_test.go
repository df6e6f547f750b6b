package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// checkCommit is a change of the project of catalog/change, with the expected answer of the gate.
type checkCommit struct {
	Name  string
	Edits []struct {
		File, From, To string
		Remove         bool
	}
	Revert                    bool
	Certain, Behind, Possible []string
}

// checkAnswer is the answer of headwater check.
type checkAnswer struct {
	Certain, Possible []struct{ Name, Clause, Type string }
}

// checkJudgement compares an answer with the models that dbt could not build.
type checkJudgement struct {
	failed, skipped, missed, wrong []string
	// unsure are failures that check called only possible. unjudged are models that could not be built
	// because another one failed.
	unsure, unjudged []string
}

// TestCheck makes each commit in a real dbt project on DuckDB that was built before, asks headwater check about it, and
// builds it: a model that fails and that check did not name is a miss; a model that check called certain and that does
// not fail is a false answer. It installs dbt, so it runs only if HEADWATER_TEST_CHECK is set, as in make test-check.
func TestCheck(t *testing.T) {
	if os.Getenv("HEADWATER_TEST_CHECK") == "" {
		t.Skip("make test-check builds the commits of a dbt project and compares headwater check with what fails")
	}
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(testservers.Root(), "catalog", "change", "testdata")
	text, err := os.ReadFile(filepath.Join(source, "commits.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var commits []checkCommit
	if err := yaml.Unmarshal(text, &commits); err != nil || len(commits) < 20 {
		t.Fatal(len(commits), err)
	}
	project := filepath.Join(source, "project")
	before := filepath.Join(t.TempDir(), "before")
	copyProject(t, before, project)
	inProject(t, before, false, "build")
	inProject(t, before, false, "docs generate")
	var rows []string
	missed, wrong, unsure, unjudged, said := 0, 0, 0, 0, 0
	for i := range commits {
		c := &commits[i]
		t.Run(c.Name, func(t *testing.T) {
			base, answer := before, checkAnswer{}
			head := filepath.Join(t.TempDir(), "head")
			if c.Revert { // the base is the commit, and the head the project as it was
				base = filepath.Join(t.TempDir(), "base")
				copyProject(t, base, before)
				c.edit(t, base)
				inProject(t, base, true, "build")
				inProject(t, base, false, "docs generate")
				copyProject(t, head, base)
				copyProject(t, head, project)
			} else {
				copyProject(t, head, before)
				c.edit(t, head)
			}
			if err := os.RemoveAll(filepath.Join(head, "target")); err != nil {
				t.Fatal(err)
			}
			if c.compile() != "compile" {
				inProject(t, head, false, "seed") // its hooks change the sources, as their owners would
			}
			inProject(t, head, false, c.compile())
			answer = askGate(t, path, base, head)
			c.compare(t, &answer)
			j := judge(t, head, &answer)
			if len(j.missed) > 0 || len(j.wrong) > 0 {
				t.Errorf("missed %v, wrong %v; failed %v, skipped %v", j.missed, j.wrong, j.failed, j.skipped)
			}
			missed, wrong, said = missed+len(j.missed), wrong+len(j.wrong), said+len(answer.Certain)
			unsure, unjudged = unsure+len(j.unsure), unjudged+len(j.unjudged)
			rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s | %s |", c.Name, nameList(c.Certain), nameList(c.Behind), nameList(c.Possible), nameList(j.failed)))
		})
	}
	t.Logf("%d commits: %d said for certain, %d false, %d not judged, %d missed, %d said to be possible only", len(rows), said, wrong, unjudged, missed, unsure)
	if len(rows) == len(commits) {
		rows = append(rows, fmt.Sprintf("| **all %d** | %d said, %d of them false, %d not judged | | %d failed that were only possible | %d missed |", len(commits), said, wrong, unjudged, unsure, missed))
		checkPage(t, rows)
	}
}

func nameList(list []string) string { return strings.Join(slices.Sorted(slices.Values(list)), ", ") }

// compile is the command of dbt that writes the manifest. Only the catalog has the columns of sources as they are.
func (c *checkCommit) compile() string {
	for _, e := range c.Edits {
		if e.File == "models/sources.yml" {
			return "docs generate"
		}
	}
	return "compile"
}

func copyProject(t *testing.T, to, from string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// edit makes the commit in a copy of the project.
func (c *checkCommit) edit(t *testing.T, folder string) {
	t.Helper()
	for _, e := range c.Edits {
		path := filepath.Join(folder, filepath.FromSlash(e.File))
		if e.Remove {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), e.From) {
			t.Fatalf("%s lacks %q: %v", e.File, e.From, err)
		}
		writeFiles(t, folder, map[string]string{e.File: strings.Replace(string(text), e.From, e.To, 1)})
	}
}

// inProject runs dbt in a folder. mayFail: it may end with an error.
func inProject(t *testing.T, folder string, mayFail bool, command string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(pythonFor(t, "producers/dbt"), "bin", "dbt"), strings.Fields(command)...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "DBT_PROFILES_DIR="+folder, "DBT_SEND_ANONYMOUS_USAGE_STATS=false")
	if out, err := cmd.CombinedOutput(); err != nil && !mayFail {
		t.Fatalf("dbt %s: %v\n%s", command, err, out)
	}
}

// askGate returns the answer of headwater check about two folders. Its exit code is 6 if something fails for certain.
func askGate(t *testing.T, path, base, head string) checkAnswer {
	t.Helper()
	cmd := exec.Command(path, "check", "--base", filepath.Join(base, "target"), "--head", filepath.Join(head, "target"), "-o", "json")
	out, err := cmd.Output()
	var answer checkAnswer
	if failed := json.Unmarshal(out, &answer); failed != nil {
		t.Fatalf("%v: %v\n%s", err, failed, out)
	}
	var exit *exec.ExitError
	if want := len(answer.Certain) > 0; errors.As(err, &exit) != want || want && exit.ExitCode() != 6 {
		t.Errorf("the exit is %v with %d certain effects", err, len(answer.Certain))
	}
	return answer
}

// shortName returns the last part of the name of a node.
func shortName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// compare fails if the answer for the real project differs from the file of the commits.
func (c *checkCommit) compare(t *testing.T, answer *checkAnswer) {
	t.Helper()
	var own, behind, possible []string
	for _, i := range answer.Certain {
		if i.Clause == "behind" {
			behind = append(behind, shortName(i.Name))
		} else {
			own = append(own, shortName(i.Name))
		}
	}
	for _, i := range answer.Possible {
		possible = append(possible, shortName(i.Name))
	}
	for _, part := range []struct {
		what      string
		want, got []string
	}{{"certain", c.Certain, own}, {"behind", c.Behind, behind}, {"possible", c.Possible, possible}} {
		if want, got := nameList(part.want), nameList(part.got); want != got {
			t.Errorf("%s: %s, want %s", part.what, got, want)
		}
	}
}

// statuses builds the project, and returns how that ended for each node.
func statuses(t *testing.T, folder, command string) map[string]string {
	t.Helper()
	inProject(t, folder, true, command)
	text, err := os.ReadFile(filepath.Join(folder, "target", "run_results.json"))
	if err != nil {
		t.Fatal(err)
	}
	var built struct {
		Results []struct {
			ID     string `json:"unique_id"`
			Status string
		}
	}
	if err := json.Unmarshal(text, &built); err != nil || len(built.Results) < 8 {
		t.Fatal(len(built.Results), err)
	}
	status := map[string]string{}
	for _, r := range built.Results {
		if parts := strings.Split(r.ID, "."); parts[0] != "operation" {
			status[parts[2]] = r.Status
		}
	}
	return status
}

// judge builds the project, and compares the failures with the answer. dbt does not build the models behind a failed
// test, or behind a table that was kept with other columns: these models are then judged by a build without the test
// and the table.
func judge(t *testing.T, folder string, answer *checkAnswer) *checkJudgement {
	t.Helper()
	status := statuses(t, folder, "build")
	for _, i := range answer.Certain {
		if i.Clause != "behind" && status[shortName(i.Name)] == "skipped" {
			for name, is := range statuses(t, folder, "build --full-refresh --exclude-resource-type test") {
				if is == "error" {
					status[name] = is
				}
			}
			break
		}
	}
	j := &checkJudgement{}
	certain, possible := map[string]bool{}, map[string]bool{}
	for _, i := range answer.Possible {
		possible[shortName(i.Name)] = true
	}
	for _, name := range slices.Sorted(maps.Keys(status)) {
		switch status[name] {
		case "error":
			j.failed = append(j.failed, name)
		case "skipped":
			j.skipped = append(j.skipped, name)
		}
	}
	for _, i := range answer.Certain {
		name := shortName(i.Name)
		certain[name] = true
		is, built := status[name]
		switch {
		case !built: // an ephemeral model fails where it is read
			if len(j.failed) == 0 {
				j.wrong = append(j.wrong, name)
			}
		case is == "skipped" && i.Clause != "behind":
			j.unjudged = append(j.unjudged, name)
		case is != "error" && is != "skipped":
			j.wrong = append(j.wrong, name)
		}
	}
	for _, name := range j.failed {
		switch {
		case certain[name]:
		case possible[name]:
			j.unsure = append(j.unsure, name)
		default:
			j.missed = append(j.missed, name)
		}
	}
	return j
}

const (
	checkRowsBegin = "<!-- written by TestCheck -->\n| commit | fails for certain | behind it | possible | what dbt could not build |\n| --- | --- | --- | --- | --- |\n"
	checkRowsEnd   = "<!-- end -->"
)

// checkPage compares the table of docs/check.md with the found rows.
func checkPage(t *testing.T, rows []string) {
	t.Helper()
	file := filepath.Join(testservers.Root(), "docs", "check.md")
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), checkRowsBegin)
	_, after, ends := strings.Cut(rest, checkRowsEnd)
	if !found || !ends {
		t.Fatal("docs/check.md lacks the table of commits")
	}
	want := before + checkRowsBegin + strings.Join(rows, "\n") + "\n" + checkRowsEnd + after
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(page) {
		t.Error("docs/check.md lacks what was found; run the test with -update and look at the difference")
	}
}
