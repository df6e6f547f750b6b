package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// referencePage is the page that TestReferenceTests compares.
const referencePage = "docs/reference-tests.md"

// referenceLeftOut are folders of the reference's tests that no server can pass: the first
// upgrades containers of the reference, the second tests the reference's web page, and the
// third waits for the reference's actions container.
var referenceLeftOut = []string{"tests/zdu", "tests/cypress", "tests/actions"}

// referenceKnowing are the files and folders of the reference's tests that sign in, make tokens, or expect a
// refusal. They run against a server with authentication, the others against one without. The tests of
// knowledge use entities that test_e2e.py writes.
var referenceKnowing = []string{
	"test_authentication_e2e.py", "test_e2e.py", "test_system_info.py", "tests/audit_events", "tests/authorization", "tests/cli/user_cmd",
	"tests/entity_graph_cache", "tests/knowledge", "tests/managed_ingestion", "tests/metrics", "tests/policies", "tests/privileges", "tests/read_only",
	"tests/service_accounts", "tests/timeline/timeline_change_history_auth_test.py", "tests/tokens",
}

// referenceRow is the outcome of one of the reference's tests: passes, skipped or fails.
type referenceRow struct {
	Test    string `json:"test"`
	Outcome string `json:"outcome"`
	Why     string `json:"why"`
}

// TestReferenceTests runs the reference's own end-to-end tests against the built server,
// and compares the outcomes with docs/reference-tests.md. HEADWATER_REFERENCE_TESTS names
// the folder of the tests. [referenceKnowing] run against a server with authentication, whose
// first administrator is the reference's user. In the others, requests name that user, as the
// reference's front end would. HEADWATER_REFERENCE_STORES=all runs the tests
// on both kinds of server. HEADWATER_REFERENCE_ONLY names files or folders, whose outcomes
// are then only printed. make test-reference sets all of these.
func TestReferenceTests(t *testing.T) {
	folder := os.Getenv("HEADWATER_REFERENCE_TESTS")
	if folder == "" {
		t.Skip("make test-reference runs the reference's own tests")
	}
	if _, err := os.Stat(filepath.Join(folder, "conftest.py")); err != nil {
		t.Fatalf("the folder of the reference's tests (smoke-test of its repository) has no conftest.py: %v", err)
	}
	causes, err := readReferenceCauses(filepath.Join(testservers.Root(), "e2e", "reference", "causes.txt"))
	if err != nil {
		t.Fatal(err)
	}
	only := strings.Fields(os.Getenv("HEADWATER_REFERENCE_ONLY"))
	all := map[string][]referenceRow{}
	for _, b := range backends() {
		if b.name != "embedded" && os.Getenv("HEADWATER_REFERENCE_STORES") != "all" {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			venv := pythonFor(t, "reference")
			broker, err := testservers.StartKafka(t.TempDir()) // a broker of its own, because the topics have the names that clients know
			if err != nil {
				t.Fatalf("Kafka cannot be started: %v", err)
			}
			t.Cleanup(broker.Kill)
			for _, knowing := range []bool{false, true} {
				all[b.name] = append(all[b.name], referenceRun(t, b, knowing, venv, folder, broker.Address, only)...)
			}
			for _, row := range all[b.name] {
				if row.Outcome == "fails" && (causes.of(row.Test) == nil || len(only) > 0) {
					t.Errorf("%s: %s", row.Test, row.Why)
				}
			}
		})
	}
	if len(only) > 0 || len(all) == 0 {
		return
	}
	page := pageOfReferenceTests(all, causes)
	file := filepath.Join(testservers.Root(), referencePage)
	known, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want, got := tableRows(string(known)), tableRows(page); !slices.Equal(want, got) {
		t.Errorf("%s differs from what was measured; run the test with -update and look at the difference:\n%s", referencePage, page)
	}
}

// referenceRun starts a server and runs the tests that want its kind of authentication: all of
// them, or those among only.
func referenceRun(t *testing.T, b backend, knowing bool, venv, folder, broker string, only []string) []referenceRow {
	t.Helper()
	want := referenceKnowing
	var leftOut []string
	switch {
	case len(only) > 0:
		want = slices.DeleteFunc(slices.Clone(only), func(name string) bool { return isReferenceKnowing(name) != knowing })
		if len(want) == 0 {
			return nil
		}
	case !knowing:
		want, leftOut = nil, referenceKnowing
	}
	flags := append(b.flags(t), "--kafka", broker, "--kafka-group", fmt.Sprintf("reference-%t", knowing))
	if !knowing {
		s := start(t, flags...)
		s.writeReferenceUser()
		defer s.stop()
		return s.referenceTests(venv, folder, broker, want, leftOut, "DATAHUB_GMS_TOKEN=none", "HEADWATER_ACTOR="+referenceUser)
	}
	// The reference's tests sign people up with four bytes.
	s := start(t, append(flags, "--auth", "on", "--min-password", "4", "--auth-keys", filepath.Join(t.TempDir(), "keys.json"), "--first-admin-file", referenceAdminFile(t))...)
	defer s.stop()
	session := s.signIn(referenceUserName, referencePassword)
	if status, answer := s.send(http.MethodPost, "/openapi/v3/entity/corpuser?async=false", referenceUserEntity, "Cookie", session); status != http.StatusOK {
		t.Fatalf("the administrator cannot be written: %d %v", status, answer)
	}
	return s.referenceTests(venv, folder, broker, want, leftOut, "ADMIN_USERNAME="+referenceUserName, "ADMIN_PASSWORD="+referencePassword)
}

// isReferenceKnowing reports whether a test, a file or a folder is among referenceKnowing.
func isReferenceKnowing(name string) bool {
	return slices.ContainsFunc(referenceKnowing, func(of string) bool { return strings.HasPrefix(name, of) })
}

// referenceAdminFile returns the file of the first administrator.
func referenceAdminFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "first")
	if err := os.WriteFile(file, []byte(referenceUserName+"\n"+referencePassword+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// referenceTests runs a copy of the reference's tests with the newest client: the tests named by
// want, or all, without the tests named by leftOut. More variables of the environment say how the
// tests sign in.
func (s *server) referenceTests(venv, folder, broker string, want, leftOut []string, environment ...string) []referenceRow {
	s.t.Helper()
	parent := s.t.TempDir() // a copy, because the tests write into their parent folder
	dir := filepath.Join(parent, "smoke-test")
	if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
		s.t.Fatal(err)
	}
	const examples = "metadata-ingestion/examples" // the tests load some of these examples and run others
	if err := os.CopyFS(filepath.Join(parent, examples), os.DirFS(filepath.Join(folder, "..", examples))); err != nil {
		s.t.Fatalf("%s must be beside the folder of the tests: %v", examples, err)
	}
	arguments := []string{"-o", "addopts=", "-q", "--tb=no", "-p", "no:cacheprovider", "-p", "referencerows", "--continue-on-collection-errors", "--timeout", "90"}
	for _, left := range slices.Concat(referenceLeftOut, leftOut) {
		arguments = append(arguments, "--ignore", left)
	}
	report := filepath.Join(s.t.TempDir(), "rows.jsonl")
	pytest := exec.Command(filepath.Join(venv, "bin", "pytest"), append(arguments, want...)...)
	pytest.Dir = dir
	pytest.Env = slices.DeleteFunc(os.Environ(), func(pair string) bool { return strings.HasPrefix(pair, "DATAHUB_") })
	pytest.Env = append(pytest.Env,
		"PATH="+filepath.Join(venv, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
		"PYTHONPATH="+filepath.Join(testservers.Root(), "e2e", "reference"),
		"HOME="+s.t.TempDir(), "HEADWATER_ROWS="+report,
		"DATAHUB_GMS_URL="+s.base, "DATAHUB_FRONTEND_URL="+s.base,
		"DATAHUB_KAFKA_URL="+broker, "DATAHUB_KAFKA_SCHEMA_REGISTRY_URL="+s.base+"/schema-registry/api",
		"ELASTICSEARCH_REFRESH_INTERVAL_SECONDS=0", "DATAHUB_TEST_SLEEP_BETWEEN=1",
	)
	pytest.Env = append(pytest.Env, environment...)
	told, err := pytest.CombinedOutput() // an error is ignored, because some tests may fail; the page lists the failed tests
	f, openErr := os.Open(report)
	if openErr != nil {
		s.t.Fatalf("no test ran: %v\n%s", err, told)
	}
	defer f.Close()
	var rows []referenceRow
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var row referenceRow
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			s.t.Fatal(err)
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil {
		s.t.Fatal(err)
	}
	return rows
}

// referenceUser is the user that the reference has from its start.
const (
	referenceUserName = "datahub"
	referenceUser     = "urn:li:corpuser:" + referenceUserName
	referencePassword = "the password of the tests"
)

const referenceUserEntity = `[{"urn":"` + referenceUser + `","corpUserInfo":{"value":{"active":true,"displayName":"DataHub","title":"DataHub Root User","system":true}}}]`

func (s *server) writeReferenceUser() {
	s.t.Helper()
	if status, answer := s.send(http.MethodPost, "/openapi/v3/entity/corpuser?async=false", referenceUserEntity); status != http.StatusOK {
		s.t.Fatalf("the user cannot be written: %d %v", status, answer)
	}
}

// referenceCause is a reason why some of the reference's tests do not pass here.
type referenceCause struct {
	name, text string
	// tests has the beginnings of the names of these tests.
	tests []string
}

type referenceCauses []referenceCause

// readReferenceCauses reads e2e/reference/causes.txt. It has a line "# name: text" for each
// cause, followed by a line for each test, file or folder.
func readReferenceCauses(file string) (referenceCauses, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var causes referenceCauses
	for i, line := range strings.Split(string(text), "\n") {
		heading, isHeading := strings.CutPrefix(line, "# ")
		switch {
		case isHeading:
			name, text, found := strings.Cut(heading, ": ")
			if !found {
				return nil, fmt.Errorf("%s:%d: a cause is written as \"# name: text\"", file, i+1)
			}
			causes = append(causes, referenceCause{name: name, text: text})
		case line == "":
		case len(causes) == 0:
			return nil, fmt.Errorf("%s:%d: a test without a cause", file, i+1)
		default:
			last := &causes[len(causes)-1]
			last.tests = append(last.tests, line)
		}
	}
	return causes, nil
}

// of returns the cause of a test: the one with the longest matching beginning of its name.
func (c referenceCauses) of(test string) *referenceCause {
	var found *referenceCause
	longest := 0
	for i := range c {
		for _, beginning := range c[i].tests {
			if strings.HasPrefix(test, beginning) && len(beginning) > longest {
				found, longest = &c[i], len(beginning)
			}
		}
	}
	return found
}

// count returns the number of tests that do not pass for one cause.
func (c referenceCauses) count(name string, rows []referenceRow) int {
	n := 0
	for _, row := range rows {
		if found := c.of(row.Test); row.Outcome == "fails" && found != nil && found.name == name {
			n++
		}
	}
	return n
}

// pageOfReferenceTests returns the text of docs/reference-tests.md.
func pageOfReferenceTests(all map[string][]referenceRow, causes referenceCauses) string {
	var stores []string
	for _, b := range backends() {
		if len(all[b.name]) > 0 {
			stores = append(stores, b.name)
		}
	}
	var text strings.Builder
	text.WriteString(`# The reference's own tests

These tables are written by a test that runs the reference's end-to-end tests as of July 2026 (the folder
` + "`smoke-test` of the public repository `acryldata/datahub`" + `) with today's client against the built server:
` + "`make test-reference REFERENCE_TESTS=/path/to/smoke-test`, with `STORES=all` on both kinds of server, with `UPDATE=-update`" + `
the test rewrites the tables. None of those tests are part of Headwater. Left out are the tests of the
reference's upgrades, of its web page and of its container of actions (` + "`" + strings.Join(referenceLeftOut, "`, `") + "`" + `).

## How many pass

| | tests | pass | leave themselves out | do not pass |
| --- | --- | --- | --- | --- |
`)
	for _, store := range stores {
		fmt.Fprintf(&text, "| %s | %s |\n", store, countsOf(all[store]))
	}
	text.WriteString("\n## Why tests do not pass\n\n| cause | what it means | " + strings.Join(stores, " | ") + " |\n| --- | --- |" + strings.Repeat(" --- |", len(stores)) + "\n")
	for _, cause := range causes {
		fmt.Fprintf(&text, "| %s | %s |", cause.name, cause.text)
		for _, store := range stores {
			fmt.Fprintf(&text, " %d |", causes.count(cause.name, all[store]))
		}
		text.WriteString("\n")
	}
	files := map[string]map[string][]referenceRow{} // rows by file and store
	failing := map[string][]string{}                // stores by test
	for _, store := range stores {
		for _, row := range all[store] {
			file, _, _ := strings.Cut(row.Test, "::")
			if files[file] == nil {
				files[file] = map[string][]referenceRow{}
			}
			files[file][store] = append(files[file][store], row)
			if row.Outcome == "fails" {
				failing[row.Test] = append(failing[row.Test], store)
			}
		}
	}
	text.WriteString("\n## Tests that do not pass\n\n| test | on | cause |\n| --- | --- | --- |\n")
	for _, test := range slices.Sorted(maps.Keys(failing)) {
		name := "**unknown**"
		if cause := causes.of(test); cause != nil {
			name = cause.name
		}
		on := "every server"
		if len(failing[test]) < len(stores) {
			on = strings.Join(failing[test], ", ")
		}
		fmt.Fprintf(&text, "| `%s` | %s | %s |\n", test, on, name)
	}
	text.WriteString("\n## Every file\n\n| file | on | tests | pass | leave themselves out | do not pass |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, file := range slices.Sorted(maps.Keys(files)) {
		counts := map[string][]string{} // stores by their counts
		for _, store := range stores {
			counts[countsOf(files[file][store])] = append(counts[countsOf(files[file][store])], store)
		}
		for _, store := range stores {
			own := countsOf(files[file][store])
			switch {
			case len(counts[own]) == len(stores) && store == stores[0]:
				fmt.Fprintf(&text, "| `%s` | every server | %s |\n", file, own)
			case len(counts[own]) < len(stores):
				fmt.Fprintf(&text, "| `%s` | %s | %s |\n", file, store, own)
			}
		}
	}
	return text.String()
}

// countsOf returns the cells of a row: the number of tests, and the number with each
// outcome.
func countsOf(rows []referenceRow) string {
	by := map[string]int{}
	for _, row := range rows {
		by[row.Outcome]++
	}
	return fmt.Sprintf("%d | %d | %d | %d", len(rows), by["passes"], by["skipped"], by["fails"])
}

// TestReferenceCauses: causes.txt can be parsed, the longest matching beginning decides the
// cause of a test, and the page counts each test once.
func TestReferenceCauses(t *testing.T) {
	causes, err := readReferenceCauses(filepath.Join(testservers.Root(), "e2e", "reference", "causes.txt"))
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]string{}
	for _, cause := range causes {
		for _, test := range cause.tests {
			if given[test] != "" {
				t.Errorf("%s has two causes, %s and %s", test, given[test], cause.name)
			}
			given[test] = cause.name
			if found := causes.of(test); found == nil || found.name != cause.name {
				t.Errorf("the cause of %s is %v, not %s", test, found, cause.name)
			}
		}
	}
	of := referenceCauses{{name: "folder", tests: []string{"tests/a/"}}, {name: "one", tests: []string{"tests/a/b.py::test_one"}}}
	page := pageOfReferenceTests(map[string][]referenceRow{"embedded": {
		{Test: "tests/a/b.py::test_one", Outcome: "fails"},
		{Test: "tests/a/b.py::test_two", Outcome: "fails"},
		{Test: "tests/a/b.py::test_three", Outcome: "passes"},
		{Test: "tests/c.py::test", Outcome: "skipped"},
	}}, of)
	for _, row := range []string{
		"| embedded | 4 | 1 | 1 | 2 |", "| folder |  | 1 |", "| `tests/a/b.py::test_one` | every server | one |",
		"| `tests/a/b.py::test_two` | every server | folder |", "| `tests/a/b.py` | every server | 3 | 1 | 0 | 2 |",
	} {
		if !slices.Contains(tableRows(page), row) {
			t.Errorf("no row %q in\n%s", row, page)
		}
	}
}
