package process

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/headwater-io/headwater/internal/tasks"
)

// measureEvery is the pause between two measurements of memory, and killEvery the one between two attempts to
// kill the remaining processes of a program.
const (
	measureEvery = 200 * time.Millisecond
	killEvery    = 20 * time.Millisecond
)

// Supervise runs the program that the starter names, and returns when nothing of it is left. It is the whole
// work of a process that [Run] has started, and returns that process's exit code.
func Supervise() int {
	// The program is killed when the thread that started it ends (Pdeathsig), so that thread must stay.
	runtime.LockOSThread()
	lifeline, results := os.NewFile(lifelineFD, "lifeline"), os.NewFile(resultFD, "results")
	if lifeline == nil || results == nil {
		return 2
	}
	// The program must not inherit the two pipes: a process that holds the pipe of results keeps the starter waiting.
	syscall.CloseOnExec(lifelineFD)
	syscall.CloseOnExec(resultFD)
	syscall.CloseOnExec(heldFD)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	answers := json.NewEncoder(results)
	decoder := json.NewDecoder(lifeline)
	var o order
	if err := decoder.Decode(&o); err != nil {
		return 2
	}
	s := &supervisor{order: o}
	if err := s.start(); err != nil {
		_ = answers.Encode(message{Failed: err.Error()})
		return 1
	}
	_ = answers.Encode(message{PID: s.pid})
	work := tasks.New("supervisor", nil)
	gone, ended, reaped := make(chan struct{}), make(chan struct{}), make(chan struct{})
	work.Go("lifeline", func() {
		_, _ = io.Copy(io.Discard, io.MultiReader(decoder.Buffered(), lifeline))
		close(gone)
	})
	work.Go("reap", func() {
		s.reap(ended)
		close(reaped)
	})
	s.watch(signals, gone, ended)
	s.killRest(reaped)
	result := s.result()
	_ = answers.Encode(message{End: &result})
	return 0
}

// supervisor is the state of a supervising process.
type supervisor struct {
	order
	pid int

	mu  sync.Mutex
	end Result
}

// start starts the program with its limits.
func (s *supervisor) start() error {
	adoptOrphans()
	if err := setLimits(s.Limits); err != nil {
		return err
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	attributes := &syscall.SysProcAttr{Setpgid: true}
	dieWithStarter(attributes)
	started, err := os.StartProcess(s.Path, append([]string{s.Path}, s.Args...), &os.ProcAttr{
		Dir: s.Dir, Env: s.Env, Files: []*os.File{null, os.Stdout, os.Stderr}, Sys: attributes,
	})
	if err != nil {
		return err
	}
	s.pid = started.Pid
	limitAddressSpace(s.pid, s.Limits.AddressSpace)
	return started.Release() // reap waits for all children, including this one
}

// watch returns when the program has ended, or when it must be killed.
func (s *supervisor) watch(signals <-chan os.Signal, gone, ended <-chan struct{}) {
	measure := time.NewTicker(measureEvery)
	defer measure.Stop()
	var kill <-chan time.Time
	for {
		select {
		case <-ended:
			return
		case <-gone:
			return
		case <-kill:
			return
		case <-signals:
			if kill == nil {
				s.change(func(end *Result) { end.Stopped = true })
				signalAll(s.pid, syscall.SIGTERM)
				kill = time.After(s.Grace)
			}
		case <-measure.C:
			used := memoryOf(s.pid)
			over := s.Limits.Memory > 0 && used > s.Limits.Memory
			s.change(func(end *Result) {
				end.Peak, end.OverMemory = max(end.Peak, used), over
			})
			if over {
				return
			}
		}
	}
}

// killRest kills the remaining processes of the program until none is left. A process that cannot be killed, such as
// one that waits for a dead file server, is left after a while.
func (s *supervisor) killRest(reaped <-chan struct{}) {
	ticker := time.NewTicker(killEvery)
	defer ticker.Stop()
	late := time.After(killAfter / 2)
	for {
		signalAll(s.pid, syscall.SIGKILL)
		select {
		case <-reaped:
			return
		case <-late:
			return
		case <-ticker.C:
		}
	}
}

// reap waits for all children, also those that were adopted, and closes ended when the program itself has ended.
// It returns when no child is left.
func (s *supervisor) reap(ended chan<- struct{}) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return
		}
		if pid != s.pid || !status.Exited() && !status.Signaled() {
			continue
		}
		s.change(func(end *Result) {
			end.Exit = status.ExitStatus()
			if status.Signaled() {
				end.Exit, end.Signal = -1, signalName(status.Signal())
			}
		})
		close(ended)
	}
}

func (s *supervisor) change(how func(*Result)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	how(&s.end)
}

func (s *supervisor) result() Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end
}

// signalName returns the name of a signal as programs know it, such as SIGKILL.
func signalName(s syscall.Signal) string {
	names := map[syscall.Signal]string{
		syscall.SIGHUP: "SIGHUP", syscall.SIGINT: "SIGINT", syscall.SIGQUIT: "SIGQUIT", syscall.SIGILL: "SIGILL", syscall.SIGTRAP: "SIGTRAP", syscall.SIGABRT: "SIGABRT", syscall.SIGBUS: "SIGBUS",
		syscall.SIGFPE: "SIGFPE", syscall.SIGKILL: "SIGKILL", syscall.SIGSEGV: "SIGSEGV", syscall.SIGPIPE: "SIGPIPE", syscall.SIGALRM: "SIGALRM", syscall.SIGTERM: "SIGTERM", syscall.SIGXCPU: "SIGXCPU", syscall.SIGXFSZ: "SIGXFSZ",
	}
	if name := names[s]; name != "" {
		return name
	}
	return s.String()
}

// setLimits sets the limits that the program inherits from its supervisor. A limit above the machine's limit
// becomes the machine's limit. Where a service manager forbids to change limits, all limits stay as they
// are.
func setLimits(l Limits) error {
	set := func(resource int, to uint64) error {
		var is syscall.Rlimit
		if err := syscall.Getrlimit(resource, &is); err != nil {
			return err
		}
		to = min(to, is.Max)
		err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: to, Max: to})
		if errors.Is(err, syscall.EPERM) {
			return nil
		}
		return err
	}
	errs := []error{set(syscall.RLIMIT_CORE, 0)}
	if l.Files > 0 {
		errs = append(errs, set(syscall.RLIMIT_NOFILE, l.Files))
	}
	if l.FileSize > 0 {
		errs = append(errs, set(syscall.RLIMIT_FSIZE, l.FileSize))
	}
	return errors.Join(errs...)
}
