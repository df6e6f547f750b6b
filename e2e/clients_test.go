package e2e

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

var update = flag.Bool("update", false, "rewrite docs/clients.md")

// clientFolders are the folders whose virtual environments have the clients: the client of
// the contract, and the newest one.
var clientFolders = []string{"python", "clients"}

// signInGroup is the section of docs/clients.md that TestClientsSignIn writes.
const signInGroup = "sign-in and tokens"

// mcpGroup is the section of docs/clients.md that TestMCPServer writes. TestClients writes
// the others, but for that of signInGroup.
const mcpGroup = "the official MCP server"

// checked is the outcome of one check with one client: works, fails or absent.
type checked struct {
	Client  string `json:"client"`
	Group   string `json:"group"`
	Text    string `json:"text"`
	Outcome string `json:"outcome"`
	Why     string `json:"why"`
}

// TestClients runs the checks of e2e/clients with both clients on both kinds of server, and
// compares the outcomes with docs/clients.md. It starts a command line some hundred times,
// so it runs only if HEADWATER_TEST_CLIENTS is set, as in make test-cli.
func TestClients(t *testing.T) {
	measure(t, "clients", clientFolders, start, func(page clientsPage, all map[string][]checked) clientsPage {
		return clientsPage{intro: introOf(all), sections: slices.Concat(sectionsOf(all), page.only(signInGroup), page.only(mcpGroup))}
	})
}

// TestClientsSignIn runs the checks of e2e/signin on both kinds of server, and compares the
// outcomes with docs/clients.md: both clients and the official MCP server sign in at a server
// with authentication.
func TestClientsSignIn(t *testing.T) {
	measure(t, "signin", append(slices.Clone(clientFolders), "mcp"), startForAdmin, func(page clientsPage, all map[string][]checked) clientsPage {
		others := page.without(signInGroup)
		before := len(others) - len(page.only(mcpGroup))
		return clientsPage{intro: page.intro, sections: slices.Concat(others[:before], sectionsOf(all), others[before:])}
	})
}

// TestClientsWithToken runs the checks of e2e/clients, e2e/mcp and e2e/python once more, on a
// server with authentication and with a token. Every check must end as it does without
// authentication.
func TestClientsWithToken(t *testing.T) {
	if os.Getenv("HEADWATER_TEST_CLIENTS") == "" {
		t.Skip("make test-cli runs the checks of clients")
	}
	text, err := os.ReadFile(filepath.Join(testservers.Root(), "docs", "clients.md"))
	if err != nil {
		t.Fatal(err)
	}
	known := tableRows(string(text))
	for _, of := range []struct {
		checks  string
		folders []string
	}{{"clients", clientFolders}, {"mcp", []string{"mcp"}}} {
		t.Run(of.checks, func(t *testing.T) {
			var all []checked
			for _, folder := range of.folders {
				s := startForAdmin(t, backends()[0].flags(t)...)
				all = append(all, s.checks(pythonFor(t, folder), of.checks)...)
				s.stop()
			}
			t.Logf("%d checks", len(all))
			for _, section := range sectionsOf(map[string][]checked{backends()[0].name: all}) {
				for _, row := range tableRows(section.text) {
					if !slices.Contains(known, row) {
						t.Errorf("%s: %s is not what docs/clients.md says of a server without authentication", section.group, row)
					}
				}
			}
		})
	}
	t.Run("python", func(t *testing.T) {
		s := startForAdmin(t, backends()[0].flags(t)...)
		s.pytest(pythonFor(t, "python"), "python")
		s.stop()
	})
}

// startForAdmin starts a server with authentication, for requests with a token of its
// administrator.
func startForAdmin(t testing.TB, flags ...string) *server {
	t.Helper()
	nobody, system, _ := startKnowing(t, flags...)
	return nobody.bearer(system.token(authAdminURN, "clients").text)
}

// credentials returns the variables of the environment from which clients read their credentials, with and
// without the administrator of the sign-in.
func (s *server) credentials() []string {
	if token, found := strings.CutPrefix(s.authorization, "Bearer "); found {
		return []string{"DATAHUB_GMS_TOKEN=" + token, "HEADWATER_ADMIN=" + authAdmin, "HEADWATER_ADMIN_PASSWORD=" + authPassword}
	}
	if client, found := strings.CutPrefix(s.authorization, "Basic "); found {
		id, secret, _ := strings.Cut(client, ":")
		return []string{"DATAHUB_SYSTEM_CLIENT_ID=" + id, "DATAHUB_SYSTEM_CLIENT_SECRET=" + secret}
	}
	return nil
}

// TestMCPServer runs the checks of e2e/mcp on both kinds of server, and compares the
// outcomes with docs/clients.md. The checks call the tools of the official MCP server.
func TestMCPServer(t *testing.T) {
	measure(t, "mcp", []string{"mcp"}, start, func(page clientsPage, all map[string][]checked) clientsPage {
		section := sectionsOf(all)[0]
		section.text = "\n" + measuredOn(all) + ", driven by an MCP client over stdio.\n" + section.text
		return clientsPage{intro: page.intro, sections: append(page.without(mcpGroup), section)}
	})
}

// TestClientsPage: reading and writing the page leaves it unchanged.
func TestClientsPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testservers.Root(), "docs", "clients.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := readClientsPage(string(text))
	if page.String() != string(text) || len(page.sections) < 2 || len(page.only(page.sections[1].group)) != 1 {
		t.Errorf("%d sections were read:\n%s", len(page.sections), page)
	}
}

// measure runs a folder of checks in the virtual environments of some folders, on servers that
// begin starts. It compares docs/clients.md with the page that become makes of the present page and the outcomes.
func measure(t *testing.T, checks string, folders []string, begin func(testing.TB, ...string) *server, become func(clientsPage, map[string][]checked) clientsPage) {
	if os.Getenv("HEADWATER_TEST_CLIENTS") == "" {
		t.Skip("make test-cli runs the checks of clients")
	}
	all := map[string][]checked{}
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			for _, folder := range folders {
				venv := pythonFor(t, folder)
				s := begin(t, b.flags(t)...)
				all[b.name] = append(all[b.name], s.checks(venv, checks)...)
				s.stop()
			}
		})
	}
	if len(all) == 0 {
		return // the subtests have reported the failure
	}
	file := filepath.Join(testservers.Root(), "docs", "clients.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	known := readClientsPage(string(text))
	page := become(known, all)
	if *update {
		if err := os.WriteFile(file, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		known = page
	}
	if want, got := tableRows(known.String()), tableRows(page.String()); !slices.Equal(want, got) {
		t.Errorf("docs/clients.md differs from what was measured; run the test with -update and look at the difference:\n%s", page)
	}
}

// checks runs a folder of checks with the client in a virtual environment, and returns the
// outcomes.
func (s *server) checks(venv, folder string) []checked {
	s.t.Helper()
	report := filepath.Join(s.t.TempDir(), "checks.jsonl")
	e2e := filepath.Join(testservers.Root(), "e2e")
	pytest := exec.Command(filepath.Join(venv, "bin", "pytest"), "-q", "--tb=line", "-p", "no:cacheprovider", "-p", "rows", filepath.Join(e2e, folder))
	pytest.Env = append(os.Environ(), "PYTHONPATH="+e2e, "HEADWATER_URL="+s.base, "HEADWATER_CHECKS="+report, "DATAHUB_TELEMETRY_ENABLED=false", "HOME="+s.t.TempDir())
	pytest.Env = append(pytest.Env, s.credentials()...)
	told, err := pytest.CombinedOutput() // an error is ignored, because some checks may fail; the page lists the failed checks
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

// clientsPage is docs/clients.md: an introduction, and a section for each group of checks.
type clientsPage struct {
	intro    string
	sections []pageSection
}

// pageSection is the section of a group, without its heading.
type pageSection struct{ group, text string }

// heading returns the heading of a group.
func heading(group string) string { return "## " + strings.ToUpper(group[:1]) + group[1:] + "\n" }

func (p clientsPage) String() string {
	text := p.intro
	for _, s := range p.sections {
		text += "\n" + heading(s.group) + s.text
	}
	return text
}

// readClientsPage parses a page that String has written.
func readClientsPage(text string) clientsPage {
	parts := strings.Split(text, "\n## ")
	page := clientsPage{intro: parts[0]}
	for _, part := range parts[1:] {
		title, rest, _ := strings.Cut(part, "\n")
		page.sections = append(page.sections, pageSection{strings.ToLower(title[:1]) + title[1:], rest})
	}
	return page
}

// without returns the sections of all groups except one.
func (p clientsPage) without(group string) []pageSection {
	return slices.DeleteFunc(slices.Clone(p.sections), func(s pageSection) bool { return s.group == group })
}

// only returns the section of one group, or none if the page lacks it.
func (p clientsPage) only(group string) []pageSection {
	return slices.DeleteFunc(slices.Clone(p.sections), func(s pageSection) bool { return s.group != group })
}

// tableRows returns the lines of a page that are table rows. The text before them, which
// names the measured kinds of server, is left out.
func tableRows(page string) []string {
	return slices.DeleteFunc(strings.Split(page, "\n"), func(line string) bool { return !strings.HasPrefix(line, "|") })
}

// measuredOn returns a text that names the measured kinds of server.
func measuredOn(all map[string][]checked) string {
	var measured []string
	for _, b := range backends() {
		if len(all[b.name]) > 0 {
			measured = append(measured, b.name)
		}
	}
	return "Last measured on: " + strings.Join(measured, "; ")
}

func introOf(all map[string][]checked) string {
	return "# What clients do here\n\nThese tables are written by a test that runs the unmodified clients against the built server (`make test-cli`; with\n`-update` the test rewrites them). A dash means that the client does not have the feature. " + measuredOn(all) + ".\nHow the reference's end-to-end tests end here is on [a page of its own](reference-tests.md).\n"
}

// sectionsOf returns the sections with the outcomes of checks.
func sectionsOf(all map[string][]checked) []pageSection {
	var groups []string
	rows, clients := map[string][]string{}, map[string][]string{} // by group
	cells := map[string][]string{}                                // outcomes by group, row and client, one for each kind of server
	for _, b := range backends() {
		for _, one := range all[b.name] {
			groups = with(groups, one.Group)
			rows[one.Group] = with(rows[one.Group], one.Text)
			clients[one.Group] = with(clients[one.Group], one.Client)
			if one.Outcome == "fails" {
				one.Outcome = "**fails** on " + b.name
			}
			key := one.Group + "\n" + one.Text + "\n" + one.Client
			cells[key] = with(cells[key], one.Outcome)
		}
	}
	slices.Sort(groups)
	sections := make([]pageSection, len(groups))
	for i, group := range groups {
		var text strings.Builder
		fmt.Fprintf(&text, "\n| | %s |\n|%s\n", strings.Join(clients[group], " | "), strings.Repeat(" --- |", len(clients[group])+1))
		for _, row := range rows[group] {
			fmt.Fprintf(&text, "| %s |", row)
			for _, client := range clients[group] {
				fmt.Fprintf(&text, " %s |", cellOf(cells[group+"\n"+row+"\n"+client]))
			}
			text.WriteString("\n")
		}
		sections[i] = pageSection{group, text.String()}
	}
	return sections
}

// with returns a list with a text added, unless the list has it already.
func with(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// cellOf joins the outcomes on all kinds of server into one cell.
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
