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

// documentedServer is the address that pages name.
const documentedServer = "http://127.0.0.1:8080"

// pathLine is what pages show to let a shell find bin/headwater as headwater.
const pathLine = `export PATH="$PWD/bin:$PATH"`

// A shell is the terminal of a reader: what a page sets, and the directory it goes to, hold
// until its end.
type shell struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.Writer
	out    *bufio.Reader
	dir    string
	step   string // the file with the commands being run
	base   string
	closed bool
}

// newShell starts bash in a directory that looks like a clone with the built binary in bin and
// the data of the running server in data, and with the client if there is one. Unless installed, it
// finds the binary only where the page says it is.
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

// endMark ends what a step prints; the exit code follows.
const endMark = "\x01end of step "

// run runs commands and returns what they print, standard error included, and their exit
// code. With all, the first command that fails ends the shell.
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
			return s.there(printed.String()), status
		}
		printed.WriteString(line)
		if err != nil {
			s.closed = true
			return s.there(printed.String()), -1
		}
	}
}

// here makes commands of a page those for the server of the test, and there makes what
// they print that of the page.
func (s *shell) here(text string) string { return strings.ReplaceAll(text, documentedServer, s.base) }

func (s *shell) there(text string) string {
	text = strings.ReplaceAll(text, s.base, documentedServer)
	text = strings.ReplaceAll(text, strings.TrimPrefix(s.base, "http://"), strings.TrimPrefix(documentedServer, "http://"))
	return strings.ReplaceAll(text, s.dir+"/", "")
}

// A step is a command of a console block with the output that the page shows.
type step struct {
	command     string
	output      string
	start, stop int // where the output is in the page
}

// steps splits a console block: lines that begin with "$ ", continued by "> ", are
// commands, and what follows is their output. Blank lines before a command separate.
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

// tidy removes what a page cannot show: blanks at the ends of lines and of the text.
func tidy(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// shows reports whether a page shows what was printed. A line "…" in the page stands for
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

// keepMarks returns what was printed, with the lines of the page that have "…" within where
// they still fit.
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
