package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

var updateDocs = flag.Bool("update-docs", false, "rewrite the outputs in the README and the pages of docs")

// shells are the languages of blocks that a shell runs: sh has commands, and console has
// commands with their outputs.
var shells = []string{"sh", "console"}

// outputs are the languages of blocks that can show the output of a command.
var outputs = []string{"", "text", "json", "csv"}

// TestDocumentedCommands runs the blocks of every page in their order, and compares the outputs
// with the outputs on the page. Each page has a server of its own with the sample catalog.
func TestDocumentedCommands(t *testing.T) {
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	sample := sampleCatalog(t)
	for _, p := range documents(t) {
		if !slices.ContainsFunc(p.blocks, func(b *block) bool { return b.runs() || b.lang == "graphql" }) {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(p.name), ".md"), func(t *testing.T) {
			venv := ""
			if slices.ContainsFunc(p.blocks, func(b *block) bool { return b.runs() && datahub.MatchString(b.text) }) {
				venv = pythonFor(t, "docs")
			}
			data := copied(t, sample)
			s := start(t, "--data", data)
			r := &reader{t: t, page: p, server: s, shell: newShell(t, s.base, data, path, venv, !p.setsPath())}
			for _, b := range p.blocks {
				if !r.read(b) {
					break
				}
			}
			p.rewrite(t, r.changes)
			s.stop()
		})
		ran++
	}
	if ran == 0 {
		t.Error("no page shows commands")
	}
}

var datahub = regexp.MustCompile(`(?i)(^|[ /])datahub[ _]`)

// setsPath reports whether the page itself lets the reader's shell find the built binary.
func (p *page) setsPath() bool {
	return slices.ContainsFunc(p.blocks, func(b *block) bool { return b.runs() && strings.Contains(b.text, pathLine) })
}

// sampleCatalog returns a data directory with the sample catalog and its index. Tests copy
// it.
func sampleCatalog(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	// The first server may still write platforms in the background when its index has caught up
	// with the sample. The second server has nothing to write.
	for range 2 {
		s := start(t, "--data", dir, "--sample")
		s.awaitIndex(time.Minute)
		s.stop()
	}
	return dir
}

// copied returns a copy of a data directory.
func copied(t *testing.T, original string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(dir, os.DirFS(original)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A reader follows the instructions of a page, block by block.
type reader struct {
	t       *testing.T
	page    *page
	server  *server
	shell   *shell
	printed string // output of the last sh block
	changes []replacement
}

// read runs one block. It returns false if the rest of the page cannot run.
func (r *reader) read(b *block) bool {
	if name, ok := b.is("file"); ok {
		if err := os.WriteFile(filepath.Join(r.shell.dir, name), []byte(r.shell.here(b.text)), 0o644); err != nil {
			r.t.Fatal(err)
		}
		return true
	}
	switch {
	case b.output():
		r.compare(b, "the commands before", b.text, r.printed, b.start, b.stop)
	case b.elsewhere():
	case b.lang == "sh":
		wanted, single := b.exit()
		printed, code := r.shell.run(b.text, !single)
		r.printed = printed
		r.expect(b, b.text, printed, code, wanted)
	case b.lang == "console":
		r.console(b)
	case b.lang == "graphql":
		r.graphql(b)
	}
	return !r.shell.closed
}

// exit returns the expected exit code of the block's last command. It returns false if the
// page names none.
func (b *block) exit() (int, bool) {
	if text, ok := b.is("exit"); ok {
		code, err := strconv.Atoi(text)
		return code, err == nil
	}
	return 0, false
}

func (r *reader) console(b *block) {
	r.t.Helper()
	steps := b.steps()
	for i, step := range steps {
		wanted := 0
		if i == len(steps)-1 {
			wanted, _ = b.exit()
		}
		printed, code := r.shell.run(step.command, false)
		r.expect(b, step.command, printed, code, wanted)
		if r.shell.closed {
			return
		}
		r.compare(b, strings.TrimSpace(step.command), step.output, printed, step.start, step.stop)
	}
}

func (r *reader) expect(b *block, commands, printed string, code, wanted int) {
	r.t.Helper()
	if code != wanted {
		printed = printed[max(0, len(printed)-4000):]
		r.t.Errorf("%s:%d: exit code %d instead of %d\n%s\n%s", b.page.name, b.line, code, wanted, strings.TrimSpace(commands), printed)
	}
}

// compare compares the shown output with the printed one. With -update-docs, it rewrites
// the page.
func (r *reader) compare(b *block, command, documented, printed string, start, stop int) {
	r.t.Helper()
	if shows(documented, printed) {
		return
	}
	if *updateDocs && !b.inList {
		text := keepMarks(documented, printed)
		if text != "" {
			text += "\n"
		}
		r.changes = append(r.changes, replacement{start, stop, text})
		return
	}
	r.t.Errorf("%s:%d: %s prints\n%s\nthe page shows (-update-docs rewrites it)\n%s", b.page.name, b.line, command, tidy(printed), tidy(documented))
}

func (r *reader) graphql(b *block) {
	r.t.Helper()
	body, _ := json.Marshal(map[string]string{"query": b.text})
	status, answer := r.server.send(http.MethodPost, "/api/graphql", string(body))
	if status != http.StatusOK || at(answer, "errors") != nil {
		r.t.Errorf("%s:%d: %d %v", b.page.name, b.line, status, answer)
	}
}

// TestDocumentedBlocks fails for a block that no test runs and that gives no reason. It
// also fails for blocks that cannot be right: with text that is not of the block's
// language, or with make targets and tests that do not exist.
func TestDocumentedBlocks(t *testing.T) {
	c := &blockCheck{t: t, targets: makeTargets(t), tests: testNames(t), settings: settingNames(t)}
	for _, p := range documents(t) {
		for _, b := range p.blocks {
			if err := c.check(b); err != nil {
				t.Errorf("%s:%d: %v", p.name, b.line, err)
			}
		}
	}
}

// blockCheck has the names that blocks may use.
type blockCheck struct {
	t                        *testing.T
	targets, tests, settings []string
}

var (
	makeCall = regexp.MustCompile(`(?m)(?:^|[$;|(] *)make ([a-z][a-z-]*)`)
	// directives matches the comments that may be on the line before a block.
	directives = regexp.MustCompile(`^(not run: \S.*|tested by Test\w+|file [\w.-]+|exit \d+|\S.* generated by go test .*)?$`)
)

func (c *blockCheck) check(b *block) error {
	if !directives.MatchString(b.directive) {
		return fmt.Errorf("the comment %q before the block is none of: not run: reason; tested by TestName; file NAME; exit CODE", b.directive)
	}
	for _, m := range makeCall.FindAllStringSubmatch(b.text, -1) {
		if slices.Contains(shells, b.lang) && !slices.Contains(c.targets, m[1]) {
			return fmt.Errorf("there is no make target %q", m[1])
		}
	}
	if name, ok := b.is("tested by"); ok && !slices.Contains(c.tests, name) {
		return fmt.Errorf("there is no test %s", name)
	}
	if b.generated || b.output() || b.directive == "" && b.before != nil && b.before.elsewhere() && slices.Contains(outputs, b.lang) {
		return nil
	}
	switch b.lang {
	case "sh":
		return parses(b.text)
	case "console":
		steps := b.steps()
		if len(steps) == 0 && !b.elsewhere() {
			return errors.New("a console block has no line that begins with $")
		}
		for _, s := range steps {
			if err := parses(s.command); err != nil {
				return err
			}
		}
		return nil
	case "json":
		return c.json(b)
	case "yaml":
		return c.yaml(b)
	case "graphql", "cypher": // TestDocumentedCommands and TestDocumentedCypher run these blocks
		return nil
	}
	if _, ok := b.is("file"); ok || b.elsewhere() {
		return nil
	}
	return fmt.Errorf("no test runs this block (%q): make it sh, console, json, yaml, graphql or cypher, or say why with <!-- not run: reason --> or <!-- tested by TestName -->", b.lang)
}

// parses returns an error if bash cannot parse the commands.
func parses(commands string) error {
	check := exec.Command("bash", "-n")
	check.Stdin = strings.NewReader(commands)
	if out, err := check.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// json returns an error unless the block is one or more JSON values.
func (c *blockCheck) json(b *block) error {
	if b.elsewhere() {
		return nil
	}
	values := json.NewDecoder(strings.NewReader(b.text))
	for {
		var value any
		if err := values.Decode(&value); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// yaml returns an error unless the block is YAML. A block that begins with "#
// headwater.yaml" may have only existing settings.
func (c *blockCheck) yaml(b *block) error {
	if b.elsewhere() {
		return nil
	}
	values := yaml.NewDecoder(bytes.NewReader([]byte(b.text)))
	for {
		var value map[string]any
		if err := values.Decode(&value); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if !strings.HasPrefix(b.text, "# headwater.yaml") {
			continue
		}
		for name := range value {
			if !slices.Contains(c.settings, name) {
				return fmt.Errorf("there is no setting %q", name)
			}
		}
	}
}

func matches(t *testing.T, text []byte, pattern string) []string {
	t.Helper()
	var names []string
	for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(text, -1) {
		names = append(names, string(m[1]))
	}
	if len(names) < 10 {
		t.Fatalf("%s finds only %q", pattern, names)
	}
	return names
}

func makeTargets(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testservers.Root(), "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	return matches(t, text, `(?m)^([a-z][a-z-]*):`)
}

// settingNames returns the flags of "headwater serve".
func settingNames(t *testing.T) []string {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	help, err := exec.Command(path, "serve", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	return matches(t, help, `--([a-z0-9-]+)`)
}

// testNames returns the names of all tests in the repository.
func testNames(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command("git", "grep", "--untracked", "-hE", `^func Test\w+\(`, "--", "*_test.go")
	cmd.Dir = testservers.Root()
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("git grep: %v", err)
	}
	return matches(t, text, `func (Test\w+)\(`)
}
