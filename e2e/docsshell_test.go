package e2e

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// commandPatience is how long the commands of a block may take.
const commandPatience = 5 * time.Minute

// documentedServer is the server's address in pages.
const documentedServer = "http://127.0.0.1:8080"

// pathLine is the line in pages that lets a shell find bin/headwater as headwater.
const pathLine = `export PATH="$PWD/bin:$PATH"`

// A shell is the terminal of a reader. Variables and the working directory that a page sets
// hold until the end of the page.
type shell struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.Writer
	out    *bufio.Reader
	dir    string
	step   string // the file with the current commands
	base   string
	closed bool
}

// newShell starts bash in a directory like a clone, with the built binary in bin, the data
// of the running server in data, and the client if venv is set. Unless installed is set,
// bash finds the binary only at the place that the page names.
func newShell(t *testing.T, base, data, binary, venv string, installed bool) *shell {
	t.Helper()
	s := &shell{t: t, dir: t.TempDir(), base: base, step: filepath.Join(t.TempDir(), "step")}
	for name, target := range map[string]string{"bin": filepath.Dir(binary), "docs": filepath.Join(testservers.Root(), "docs"), "data": data} {
		if err := os.Symlink(target, filepath.Join(s.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	path := os.Getenv("PATH")
	if installed {
		path = filepath.Dir(binary) + ":" + path
	}
	if venv != "" {
		path = filepath.Join(venv, "bin") + ":" + path
	}
	s.cmd = exec.Command("bash", "--noprofile", "--norc")
	s.cmd.Dir = s.dir
	s.cmd.Env = append(os.Environ(), "HEADWATER_SERVER="+base, "PATH="+path, "HOME="+t.TempDir(), "TZ=UTC", "LC_ALL=C.UTF-8", "DATAHUB_TELEMETRY_ENABLED=false")
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	in, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.in, s.out = in, bufio.NewReader(out)
	t.Cleanup(func() {
		_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
		_ = s.cmd.Wait()
	})
	return s
}

// endMark marks the end of a step's output. The exit code follows it.
const endMark = "\x01end of step "

// run runs commands and returns their output, including standard error, and their exit
// code. If all is set, the first failing command ends the shell.
func (s *shell) run(commands string, all bool) (string, int) {
	s.t.Helper()
	if err := os.WriteFile(s.step, []byte(s.here(commands)), 0o600); err != nil {
		s.t.Fatal(err)
	}
	before, after := "", ""
	if all {
		before, after = "set -e; ", "set +e; "
	}
	timer := time.AfterFunc(commandPatience, func() { _ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) })
	defer timer.Stop()
	fmt.Fprintf(s.in, "%s. %s </dev/null 2>&1; code=$?; %sprintf '%s%%d\\n' $code\n", before, s.step, after, endMark)
	var printed strings.Builder
	for {
		line, err := s.out.ReadString('\n')
		if text, code, found := strings.Cut(line, endMark); found {
			printed.WriteString(text)
			status, _ := strconv.Atoi(strings.TrimSpace(code))
			return s.onPage(printed.String()), status
		}
		printed.WriteString(line)
		if err != nil {
			s.closed = true
			return s.onPage(printed.String()), -1
		}
	}
}

// here replaces the documented address in commands by the address of the test's server.
// onPage replaces the server's address in outputs by the documented address.
func (s *shell) here(text string) string { return strings.ReplaceAll(text, documentedServer, s.base) }

func (s *shell) onPage(text string) string {
	text = strings.ReplaceAll(text, s.base, documentedServer)
	text = strings.ReplaceAll(text, strings.TrimPrefix(s.base, "http://"), strings.TrimPrefix(documentedServer, "http://"))
	return strings.ReplaceAll(text, s.dir+"/", "")
}

// A step is a command of a console block with the output that the page shows.
type step struct {
	command     string
	output      string
	start, stop int // position of the output in the page
}

// steps splits a console block. Lines that begin with "$ ", continued by "> ", are
// commands, and the lines after them their outputs. Blank lines before a command are
// separators.
func (b *block) steps() []step {
	var steps []step
	offset, continued := b.start, false
	for line := range strings.Lines(b.text) {
		end := offset + len(line)
		last := len(steps) - 1
		switch command, isCommand := strings.CutPrefix(line, "$ "); {
		case isCommand:
			steps = append(steps, step{command: command, start: end, stop: end})
			continued = true
		case continued && strings.HasPrefix(line, "> "):
			steps[last].command += line[2:]
			steps[last].start, steps[last].stop = end, end
		case last >= 0:
			continued = false
			steps[last].output += line
			if strings.TrimSpace(line) != "" {
				steps[last].stop = end
			}
		}
		offset = end
	}
	return steps
}

// tidy removes blanks at the ends of lines and of the text, which a page cannot show.
func tidy(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// shows reports whether a page shows the printed output. A line "…" in the page stands for
// any lines, and "…" within a line for any text.
func shows(documented, printed string) bool {
	documented, printed = tidy(documented), tidy(printed)
	if documented == printed {
		return true
	}
	if !strings.Contains(documented, "…") {
		return false
	}
	pattern := "\n" + regexp.QuoteMeta(documented) + "\n"
	pattern = strings.ReplaceAll(pattern, "\n…", `(?:\n.*)*`)
	pattern = strings.ReplaceAll(pattern, "…", ".*")
	return regexp.MustCompile("^" + pattern + "$").MatchString("\n" + printed + "\n")
}

// keepMarks returns the printed output. Lines of the page that contain "…" replace the
// lines that they still match.
func keepMarks(documented, printed string) string {
	var marked []string
	for line := range strings.Lines(tidy(documented)) {
		if line = strings.TrimSpace(line); strings.Contains(line, "…") && line != "…" {
			marked = append(marked, strings.TrimRight(line, "\n"))
		}
	}
	lines := strings.Split(tidy(printed), "\n")
	for i, line := range lines {
		blank := line[:len(line)-len(strings.TrimLeft(line, " "))]
		for _, m := range marked {
			if shows(m, strings.TrimSpace(line)) {
				lines[i] = blank + m
				break
			}
		}
	}
	return strings.Join(lines, "\n")
}
