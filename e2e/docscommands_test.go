package e2e

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
)

// documented returns a page, and its blocks that name the running test.
func documented(t *testing.T, name string) (*page, []*block) {
	t.Helper()
	pages := documents(t)
	i := slices.IndexFunc(pages, func(p *page) bool { return p.name == name })
	if i < 0 {
		t.Fatalf("there is no page %s", name)
	}
	test, _, _ := strings.Cut(t.Name(), "/")
	var blocks []*block
	for _, b := range pages[i].blocks {
		if by, _ := b.is("tested by"); by == test {
			blocks = append(blocks, b)
		}
	}
	return pages[i], blocks
}

// TestDocumentedCommandTable compares the commands in the table of docs/command-line.md with the
// commands that "headwater --help" lists.
func TestDocumentedCommandTable(t *testing.T) {
	help, stderr, err := local(t, "--help")
	if err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	_, list, _ := strings.Cut(help, "Available Commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	var wanted []string
	for line := range strings.Lines(list) {
		if name := strings.Fields(line)[0]; name != "help" {
			wanted = append(wanted, name)
		}
	}
	p, _ := documented(t, "docs/command-line.md")
	var shown []string
	for n := p.root.FirstChild(); n != nil && shown == nil; n = n.NextSibling() {
		if table, ok := n.(*extension.Table); ok {
			for row := table.FirstChild(); row != nil; row = row.NextSibling() {
				shown = append(shown, commandsIn(row.FirstChild(), p.source)...)
			}
		}
	}
	slices.Sort(shown)
	slices.Sort(wanted)
	if diff := cmp.Diff(wanted, slices.Compact(shown)); diff != "" {
		t.Errorf("the table of %s has other commands (+) than headwater --help (-):\n%s", p.name, diff)
	}
}

// commandsIn returns the first words of the code in a table cell.
func commandsIn(cell ast.Node, source []byte) []string {
	var names []string
	for n := cell.FirstChild(); n != nil; n = n.NextSibling() {
		if code, ok := n.(*ast.CodeSpan); ok {
			names = append(names, strings.Fields(plain(code, source))[0])
		}
	}
	return names
}

// TestDocumentedStart: the line that starts a new catalog starts an empty one, even in a
// clone in which "make run" has left the sample.
func TestDocumentedStart(t *testing.T) {
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	clone := t.TempDir()
	if err := os.Symlink(filepath.Dir(path), filepath.Join(clone, "bin")); err != nil {
		t.Fatal(err)
	}
	s := startIn(t, clone, "bin/headwater serve --sample")
	if n := s.datasetsFound(); n == 0 {
		t.Error("the sample has no datasets")
	}
	s.stop()
	for _, name := range []string{"README.md", "docs/getting-started.md"} {
		_, blocks := documented(t, name)
		if len(blocks) != 1 {
			t.Fatalf("%s has %d blocks that start a server", name, len(blocks))
		}
		s := startIn(t, clone, blocks[0].text)
		if n := s.datasetsFound(); n != 0 {
			t.Errorf("%s: %d datasets after %s", name, n, blocks[0].text)
		}
		if status, _ := s.send(http.MethodGet, "/health/ready", ""); status != http.StatusOK {
			t.Errorf("%s: %d", name, status)
		}
		s.stop()
	}
}

// startIn runs a line that starts a server, in a directory and on a port of the test.
func startIn(t *testing.T, dir, line string) *server {
	t.Helper()
	s := &server{t: t, log: &logText{}}
	s.cmd = exec.Command("bash", "-c", "exec "+line)
	s.cmd.Dir, s.cmd.Stderr = dir, s.log
	s.cmd.Env = append(os.Environ(), "HEADWATER_LISTEN=127.0.0.1:0")
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // the process has usually ended already
		_ = s.cmd.Wait()
	})
	said, _ := bufio.NewReader(out).ReadString('\n')
	base, found := strings.CutPrefix(strings.TrimSpace(said), "listening on ")
	if !found {
		t.Fatalf("%s said %q: %s", line, said, s.log)
	}
	s.base = base
	return s
}

// backupName matches the name that "headwater backup create" gives a file.
var backupName = regexp.MustCompile(`headwater-\d{8}T\d{6}Z\.db`)

// TestDocumentedBackup runs the commands of docs/backup.md for the embedded store on the
// sample catalog, in a file system of their own. They must succeed, and print the shown
// outputs. The name and the size of the backup may differ.
func TestDocumentedBackup(t *testing.T) {
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	p, blocks := documented(t, "docs/backup.md")
	root := t.TempDir()
	for _, dir := range []string{"backups", "var/lib"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	data := sampleCatalog(t)
	if err := os.Rename(data, filepath.Join(root, "var/lib/headwater")); err != nil {
		t.Fatal(err)
	}
	here := strings.NewReplacer("/backups", root+"/backups", "/var/lib/", root+"/var/lib/")
	shell := newShell(t, documentedServer, data, path, "", true)
	made, ran := "", 0
	run := func(line string) string {
		line = here.Replace(backupName.ReplaceAllString(line, made))
		printed, code := shell.run(line, false)
		if code != 0 {
			t.Errorf("%s: exit code %d\n%s", line, code, printed)
		}
		ran++
		return strings.ReplaceAll(printed, root, "")
	}
	size := regexp.MustCompile(`[\d.]+ [KMG]iB`)
	varying := func(text string) string {
		return size.ReplaceAllString(backupName.ReplaceAllString(text, "NAME"), "SIZE")
	}
	for _, b := range blocks {
		for _, step := range b.steps() { // steps of a console block
			printed := run(step.command)
			made = backupName.FindString(printed)
			if diff := cmp.Diff(tidy(varying(step.output)), tidy(varying(printed))); diff != "" {
				t.Errorf("%s:%d: the page (-) shows not what is printed (+):\n%s", p.name, b.line, diff)
			}
		}
		for line := range strings.Lines(b.text) {
			if b.lang == "sh" && strings.HasPrefix(line, "headwater backup") {
				run(line)
			} else if b.lang == "sh" {
				start(t, strings.Fields(here.Replace(strings.TrimPrefix(line, "headwater serve")))...).stop()
			}
		}
	}
	if ran < 3 {
		t.Errorf("only %d commands ran", ran)
	}
}
