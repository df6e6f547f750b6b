package e2e

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testservers"
)

var update = flag.Bool("update", false, "rewrite docs/clients.md")

// clientFolders are the folders whose virtual environments have the clients: the
// one of the contract and today's.
var clientFolders = []string{"python", "clients"}

// checked is the outcome of one check with one client: works, fails or absent.
type checked struct {
	Client  string `json:"client"`
	Group   string `json:"group"`
	Text    string `json:"text"`
	Outcome string `json:"outcome"`
	Why     string `json:"why"`
}

// TestClients runs the checks of e2e/clients with both clients on both kinds of
// server, and compares the outcomes with docs/clients.md. It starts a command line
// some hundred times, so it runs only when HEADWATER_TEST_CLIENTS is set, as make
// test-cli does.
func TestClients(t *testing.T) {
	if os.Getenv("HEADWATER_TEST_CLIENTS") == "" {
		t.Skip("make test-cli runs the checks of clients")
	}
	all := map[string][]checked{}
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			for _, folder := range clientFolders {
				venv := pythonFor(t, folder)
				s := start(t, b.flags(t)...)
				all[b.name] = append(all[b.name], s.checks(venv)...)
				s.stop()
			}
		})
	}
	if len(all) == 0 {
		return // the subtests say why
	}
	file := filepath.Join(testservers.Root(), "docs", "clients.md")
	page := clientsPage(all)
	if *update {
		if err := os.WriteFile(file, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	known, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want, got := rowsOf(known), rowsOf(page); !slices.Equal(want, got) {
		t.Errorf("docs/clients.md differs from what was measured; run the test with -update and look at the difference:\n%s", page)
	}
}

// rowsOf returns the lines of a page that are rows of tables. The text before them
// says which kinds of server were measured.
func rowsOf(page []byte) []string {
	return slices.DeleteFunc(strings.Split(string(page), "\n"), func(line string) bool { return !strings.HasPrefix(line, "|") })
}

// checks runs all checks with the client of a virtual environment.
func (s *server) checks(venv string) []checked {
	s.t.Helper()
	report := filepath.Join(s.t.TempDir(), "checks.jsonl")
	pytest := exec.Command(filepath.Join(venv, "bin", "pytest"), "-q", "--tb=line", "-p", "no:cacheprovider", filepath.Join(testservers.Root(), "e2e", "clients"))
	pytest.Env = append(os.Environ(), "HEADWATER_URL="+s.base, "HEADWATER_CHECKS="+report, "DATAHUB_TELEMETRY_ENABLED=false", "HOME="+s.t.TempDir())
	told, err := pytest.CombinedOutput() // some checks may fail; the page says which
	f, openErr := os.Open(report)
	if openErr != nil {
		s.t.Fatalf("no check ran: %v\n%s", err, told)
	}
	defer f.Close()
	var list []checked
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var one checked
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			s.t.Fatal(err)
		}
		if one.Outcome == "fails" {
			s.t.Logf("%s: %s: %s: %s", one.Client, one.Group, one.Text, one.Why)
		}
		list = append(list, one)
	}
	return list
}

// clientsPage is docs/clients.md.
func clientsPage(all map[string][]checked) []byte {
	type row struct{ group, text string }
	var rows []row
	var clients, measured []string
	cells := map[row]map[string][]string{} // outcomes by client, one for each kind of server
	for _, b := range backends() {
		if len(all[b.name]) > 0 {
			measured = append(measured, b.name)
		}
		for _, one := range all[b.name] {
			r := row{one.Group, one.Text}
			if cells[r] == nil {
				rows, cells[r] = append(rows, r), map[string][]string{}
			}
			if !slices.Contains(clients, one.Client) {
				clients = append(clients, one.Client)
			}
			if one.Outcome == "fails" {
				one.Outcome = "**fails** on " + b.name
			}
			if !slices.Contains(cells[r][one.Client], one.Outcome) {
				cells[r][one.Client] = append(cells[r][one.Client], one.Outcome)
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.group, b.group) })
	var page bytes.Buffer
	fmt.Fprintf(&page, "# What clients do here\n\nThese tables are written by a test that runs the unmodified clients against the built server (`make test-cli`; with\n`-update` the test rewrites them). A dash means that the client does not have the feature. Last measured on: %s.\n", strings.Join(measured, "; "))
	group := ""
	for _, r := range rows {
		if r.group != group {
			group = r.group
			fmt.Fprintf(&page, "\n## %s\n\n| | %s |\n|%s\n", strings.ToUpper(group[:1])+group[1:], strings.Join(clients, " | "), strings.Repeat(" --- |", len(clients)+1))
		}
		fmt.Fprintf(&page, "| %s |", r.text)
		for _, client := range clients {
			fmt.Fprintf(&page, " %s |", cellOf(cells[r][client]))
		}
		page.WriteString("\n")
	}
	return page.Bytes()
}

// cellOf joins the outcomes on all kinds of server.
func cellOf(outcomes []string) string {
	failures := slices.DeleteFunc(slices.Clone(outcomes), func(o string) bool { return o == "works" || o == "absent" })
	switch {
	case len(failures) > 0:
		return strings.Join(failures, ", ")
	case slices.Contains(outcomes, "works"):
		return "works"
	}
	return "—"
}
