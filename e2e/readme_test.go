package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testservers"
)

// TestReadmeTour runs the tour of the README on the sample catalog and
// compares every answer with the one shown.
func TestReadmeTour(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testservers.Root(), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	commands := block(t, string(text), "<!-- tour -->\n```sh\n")
	answers := strings.Split(strings.TrimSpace(block(t, string(text), "<!-- tour answers -->\n```json\n")), "\n")
	s := start(t, "--data", t.TempDir(), "--sample")
	for line := range strings.Lines(commands) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		out, err := exec.Command("bash", "-c", strings.ReplaceAll(line, "http://127.0.0.1:8080", s.base)).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", line, err, out)
		}
		if len(answers) == 0 {
			t.Fatalf("the README shows no answer for %s", line)
		}
		if got := strings.TrimSpace(string(out)); got != answers[0] {
			t.Errorf("%s\nanswers\n%s\nthe README shows\n%s", line, got, answers[0])
		}
		answers = answers[1:]
	}
	if len(answers) > 0 {
		t.Errorf("answers without a command: %v", answers)
	}
	s.stop()
}

// block returns the code block that a text starts.
func block(t *testing.T, text, opening string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, opening)
	if !ok {
		t.Fatalf("the README has no %q", opening)
	}
	inside, _, _ := strings.Cut(rest, "```")
	return inside
}

// TestDocumentedCommands runs the commands that pages of docs show, in their order, on
// the sample catalog. Those that delete come last.
func TestDocumentedCommands(t *testing.T) {
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, "--data", t.TempDir(), "--sample")
	for _, page := range []string{"sample.md", "rest.md", "command-line.md", "deletes-and-runs.md"} {
		text, err := os.ReadFile(filepath.Join(testservers.Root(), "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		blocks := strings.Split(string(text), "<!-- runs -->\n```sh\n")[1:]
		if len(blocks) == 0 {
			t.Errorf("%s shows no commands", page)
		}
		for _, rest := range blocks {
			commands, _, _ := strings.Cut(rest, "```")
			for line := range strings.Lines(commands) {
				cmd := exec.Command("bash", "-c", strings.ReplaceAll(line, "http://127.0.0.1:8080", s.base))
				cmd.Env = append(os.Environ(), "HEADWATER_SERVER="+s.base, "PATH="+filepath.Dir(path)+":"+os.Getenv("PATH"))
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s: %s: %v: %s", page, strings.TrimSpace(line), err, out)
				}
			}
		}
	}
	s.stop()
}
