package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// server is the product under attack. After its process has died or was stopped or killed,
// it is started again on the same data.
type server struct {
	o     *options
	dir   string // has data/ and server.log
	flags []string
	// command is the command of the executable with its arguments; nil means serve.
	command []string
	base    atomic.Value // the address of the present process as a string, http://127.0.0.1:PORT
	now     atomic.Pointer[process]
	began   int64 // offset in the log at which the present process begins
}

// process is one process of the server.
type process struct {
	pid   int
	gone  chan struct{} // closed when the process has ended
	ended error         // the error of the process, valid after gone is closed
}

func (p *process) alive() bool {
	if p == nil {
		return false
	}
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

// startPatience is how long the start of a server may take.
const startPatience = 60 * time.Second

func newServer(o *options, dir string, flags ...string) (*server, error) {
	s := &server{o: o, dir: dir, flags: append([]string{"--data", filepath.Join(dir, "data")}, flags...)}
	s.base.Store("")
	return s, os.MkdirAll(dir, 0o700)
}

// url returns the address of the present process.
func (s *server) url() string { return s.base.Load().(string) }

func (s *server) data(name string) string { return filepath.Join(s.dir, "data", name) }

// start starts the server, and returns when it has printed its address.
func (s *server) start() error {
	binary, err := filepath.Abs(s.o.binary)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(s.dir, "server.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	if info, err := log.Stat(); err == nil {
		s.began = info.Size()
	}
	// A shell limits the address space and then replaces itself by the server.
	command := s.command
	if command == nil {
		command = []string{"serve"}
	}
	args := slices.Concat([]string{"-c", `ulimit -v "$1"; shift; exec "$@"`, "sh", strconv.FormatInt(s.o.address>>10, 10), binary}, command, []string{"--listen", "127.0.0.1:0", "--log-level", "warn"}, s.flags)
	cmd := exec.Command("/bin/sh", args...) //nolint:noctx // it outlives every request
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "GOMEMLIMIT="+strconv.FormatInt(s.o.memory, 10), "GOTRACEBACK=single")
	cmd.Stderr = log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p := &process{pid: cmd.Process.Pid, gone: make(chan struct{})}
	s.now.Store(p)
	said := make(chan string, 1)
	go func() {
		lines := bufio.NewReader(out)
		line, _ := lines.ReadString('\n') // after an error, the line is empty
		said <- strings.TrimSpace(line)
		_, _ = lines.WriteTo(discard{}) // until the process ends
		p.ended = cmd.Wait()
		close(p.gone)
	}()
	select {
	case line := <-said:
		base, found := strings.CutPrefix(line, "listening on ")
		if !found {
			s.kill()
			return fmt.Errorf("the server does not start, it said %q: %s", line, s.lastWords())
		}
		s.base.Store(base)
		return nil
	case <-time.After(startPatience):
		s.kill()
		return fmt.Errorf("the server does not listen after %v: %s", startPatience, s.lastWords())
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// alive reports whether the process runs.
func (s *server) alive() bool { return s.now.Load().alive() }

// kill ends the server at once, as a crash would.
func (s *server) kill() {
	if p := s.now.Load(); p.alive() {
		_ = syscall.Kill(p.pid, syscall.SIGKILL) // the process may have ended already
		<-p.gone
	}
}

// stop sends SIGTERM and returns how long the server took to end. If it does not end within
// patience, it is killed.
func (s *server) stop(patience time.Duration) (time.Duration, error) {
	began, p := time.Now(), s.now.Load()
	if !p.alive() {
		return 0, errors.New("it had ended already")
	}
	if err := syscall.Kill(p.pid, syscall.SIGTERM); err != nil {
		return 0, err
	}
	select {
	case <-p.gone:
		return time.Since(began), p.ended
	case <-time.After(patience):
		s.kill()
		return time.Since(began), errors.New("it did not end and was killed")
	}
}

// lastWords returns the end of the present process's output on standard error, as one line.
func (s *server) lastWords() string {
	text, err := os.ReadFile(filepath.Join(s.dir, "server.log"))
	if err != nil {
		return err.Error()
	}
	text = text[min(s.began, int64(len(text))):]
	for _, mark := range []string{"fatal error: ", "panic: "} {
		if i := strings.LastIndex(string(text), mark); i >= 0 {
			text = text[i:]
			if end := strings.IndexByte(string(text), '\n'); end > 0 {
				text = text[:end]
			}
		}
	}
	return strings.Join(strings.Fields(string(text[max(0, len(text)-300):])), " ")
}

// status returns a figure from /proc/PID/status in bytes, 0 if the process has ended.
func (s *server) status(name string) int64 {
	if !s.alive() {
		return 0
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.now.Load().pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kib, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kib << 10
		}
	}
	return 0
}

// forgetPeak resets VmHWM, the peak of the process's memory.
func (s *server) forgetPeak() {
	if s.alive() {
		_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.now.Load().pid), []byte("5"), 0o600) // if this fails, the former peak stays
	}
}

// cpu returns the processor time that the process has used.
func (s *server) cpu() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.now.Load().pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(after)
	var ticks int64
	for _, i := range []int{11, 12} { // the fields utime and stime, numbers 14 and 15 of the line
		n, _ := strconv.ParseInt(fields[i], 10, 64)
		ticks += n
	}
	return time.Duration(ticks) * time.Second / 100
}

// stored returns the size of the embedded stores' files in bytes.
func (s *server) stored() int64 {
	files, err := os.ReadDir(s.data(""))
	if err != nil {
		return 0 // there are no files
	}
	var total int64
	for _, file := range files {
		if info, err := file.Info(); err == nil {
			total += info.Size()
		}
	}
	return total
}

// sockets returns the number of open connections of the process.
func (s *server) sockets() int {
	if !s.alive() {
		return 0
	}
	dir := fmt.Sprintf("/proc/%d/fd", s.now.Load().pid)
	files, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	n := 0
	for _, file := range files {
		if to, err := os.Readlink(filepath.Join(dir, file.Name())); err == nil && strings.HasPrefix(to, "socket:") {
			n++
		}
	}
	return n
}

// peak is the highest memory of a server, over all its processes.
type peak struct{ bytes atomic.Int64 }

func (p *peak) see(n int64) {
	for {
		old := p.bytes.Load()
		if n <= old || p.bytes.CompareAndSwap(old, n) {
			return
		}
	}
}

// watch samples until ctx ends.
func (p *peak) watch(ctx context.Context, sample func() int64) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		p.see(sample())
		select {
		case <-ctx.Done():
			p.see(sample())
			return
		case <-tick.C:
		}
	}
}
