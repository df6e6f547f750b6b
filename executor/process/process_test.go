package process_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/headwater-io/headwater/executor/process"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// shell returns a command that runs a script of sh.
func shell(t *testing.T, script string) (process.Command, *bytes.Buffer) {
	t.Helper()
	out := &bytes.Buffer{}
	return process.Command{
		Supervisor: []string{os.Args[0], "supervise"}, Path: "/bin/sh", Args: []string{"-c", script}, Dir: t.TempDir(),
		Env: []string{"PATH=" + os.Getenv("PATH"), "GREETING=hello"}, Output: out, Grace: 300 * time.Millisecond,
	}, out
}

// TestEnds: exit codes, signals and output come back, and the program sees only the given environment.
func TestEnds(t *testing.T) {
	t.Setenv("OWN_SECRET", "of the starter")
	for script, want := range map[string]process.Result{
		`echo "$GREETING $OWN_SECRET"; echo err >&2`: {},
		`exit 7`:        {Exit: 7},
		`kill -SEGV $$`: {Exit: -1, Signal: "SIGSEGV"},
	} {
		c, out := shell(t, script)
		got, err := process.Run(t.Context(), c)
		got.Peak = 0
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", script, got, err, want)
		}
		if strings.HasPrefix(script, "echo") && out.String() != "hello \nerr\n" {
			t.Errorf("the output is %q", out)
		}
	}
}

// TestCannotStart: a program that does not exist is an error that names it.
func TestCannotStart(t *testing.T) {
	c, _ := shell(t, "")
	c.Path = "/no/such/program"
	if _, err := process.Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), "/no/such/program") {
		t.Errorf("the error is %v", err)
	}
	c.Supervisor = nil
	if _, err := process.Run(t.Context(), c); err == nil {
		t.Error("a program runs without a supervisor")
	}
}

// TestStop: a program that ends on SIGTERM may say so; one that ignores it is killed after its grace.
func TestStop(t *testing.T) {
	for name, script := range map[string]string{
		"polite":  `trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 0.01; done`,
		"ignores": `trap '' TERM; echo ready; while :; do sleep 0.01; done`,
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := shell(t, script)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			ready := &until{text: "ready", then: stop}
			c.Output = ready
			got, err := process.Run(ctx, c)
			if err != nil || !got.Stopped {
				t.Fatalf("%+v, %v", got, err)
			}
			if polite := got.Exit == 3; polite != (name == "polite") {
				t.Errorf("it ended with %+v", got)
			}
			if said := strings.Contains(ready.all.String(), "bye"); said != (name == "polite") {
				t.Errorf("it said %q", ready.all.String())
			}
		})
	}
}

// until calls a function once a text was written.
type until struct {
	text string
	then func()
	all  bytes.Buffer
}

func (u *until) Write(p []byte) (int, error) {
	u.all.Write(p)
	if strings.Contains(u.all.String(), u.text) {
		u.then()
	}
	return len(p), nil
}

// TestNothingIsLeft: processes that the program leaves behind are ended with it, also those in sessions of
// their own.
func TestNothingIsLeft(t *testing.T) {
	c, _ := shell(t, `sleep 1000 & echo $! > one; setsid sh -c 'echo $$ > two; sleep 1000' & while [ ! -s two ]; do sleep 0.01; done; exit 0`)
	if got, err := process.Run(t.Context(), c); err != nil || got.Exit != 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, file := range []string{"one", "two"} {
		if pid := pidIn(t, filepath.Join(c.Dir, file)); alive(pid) {
			t.Errorf("%s still runs as %d", file, pid)
		}
	}
}

// TestMemory: a program that uses too much memory is ended, and the result says so.
func TestMemory(t *testing.T) {
	c, _ := shell(t, `exec python3 -c "
import time
kept = []
while True:
    kept.append(bytearray(b'x' * (4 << 20)))
    time.sleep(0.005)"`)
	c.Limits.Memory = 80 << 20
	got, err := process.Run(t.Context(), c)
	if err != nil || !got.OverMemory || got.Peak < 80<<20 || got.Peak > 800<<20 {
		t.Errorf("%+v, %v", got, err)
	}
	c, out := shell(t, `exec python3 -c "bytearray(1 << 32)"`)
	c.Limits.AddressSpace = 1 << 30
	if got, err := process.Run(t.Context(), c); err != nil || got.Exit != 1 || !strings.Contains(out.String(), "MemoryError") {
		t.Errorf("%+v, %v, %s", got, err, out)
	}
}

// TestLimits: a program has few files open, writes no large file, and leaves no core.
func TestLimits(t *testing.T) {
	c, out := shell(t, `ulimit -n; ulimit -c; head -c 100000 /dev/zero > large; wc -c < large`)
	c.Limits.Files, c.Limits.FileSize = 64, 4096
	if _, err := process.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(out.String()); len(got) < 3 || got[0] != "64" || got[1] != "0" || got[len(got)-1] != "4096" {
		t.Errorf("the limits are %q", got)
	}
}

// TestStarterIsKilled: when the process that started a program is killed, the program and its descendants end.
func TestStarterIsKilled(t *testing.T) {
	if dir := os.Getenv("STARTER_IN"); dir != "" {
		c, _ := shell(t, `sleep 1000 & echo $! > one; setsid sh -c 'echo $$ > two; sleep 1000' & echo $$ > three; wait`)
		c.Dir = dir
		held, err := os.Create(filepath.Join(dir, "held"))
		if err != nil || syscall.Flock(int(held.Fd()), syscall.LOCK_EX) != nil {
			t.Fatal("no lock", err)
		}
		c.Held = held
		_, err = process.Run(t.Context(), c)
		t.Fatal("the program ended by itself", err)
	}
	dir := t.TempDir()
	starter := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestStarterIsKilled$")
	starter.Env = append(os.Environ(), "STARTER_IN="+dir)
	if err := starter.Start(); err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, file := range []string{"one", "two", "three"} {
		pids = append(pids, pidIn(t, filepath.Join(dir, file)))
	}
	held, err := os.Open(filepath.Join(dir, "held"))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := starter.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = starter.Wait()
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		if alive(pid) {
			t.Errorf("the lock is free while the process %d runs", pid)
		}
	}
	for _, pid := range pids {
		testclock.Await(t, "the end of the process "+strconv.Itoa(pid), func() bool { return !alive(pid) })
	}
}

func pidIn(t *testing.T, file string) int {
	t.Helper()
	pid := 0
	testclock.Await(t, "a number in "+file, func() bool {
		text, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil
	})
	return pid
}

// alive reports whether a process runs. A process that has ended and was not waited for does not run.
func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return syscall.Kill(pid, 0) == nil && !errors.Is(err, fs.ErrNotExist)
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}
