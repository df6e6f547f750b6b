// Package process runs a program of others so that nothing of it outlives whoever started it: neither when it
// is stopped, nor when it leaves processes behind, nor when the starter itself is killed.
//
// Between the starter and the program stands a supervisor, a small process of this binary. The supervisor
// adopts the processes that the program leaves behind, measures the memory of all of them, and ends all of them when
// the starter asks for that or is gone, which it notices by the end of a pipe.
package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Command is a program with its bounds.
type Command struct {
	// Supervisor are the path and the arguments with which this binary calls [Supervise].
	Supervisor []string
	// Path is the program, Args its arguments without its name, Dir its working directory.
	Path string
	Args []string
	Dir  string
	// Env is the whole environment of the program. The supervisor's own is empty.
	Env []string
	// Output receives the standard output and error of the program and its descendants.
	Output io.Writer
	Limits Limits
	// Held, unless it is nil, is a file that the supervisor has open until nothing of the program runs, so that a lock on it
	// lasts as long.
	Held *os.File
	// Grace is how long the program may go on after SIGTERM before it is killed.
	Grace time.Duration
}

// Limits bound a program. 0 is no limit.
type Limits struct {
	// Memory is how many bytes the program and its descendants may have in memory together.
	Memory int64 `json:"memory"`
	// AddressSpace is how many bytes each of its processes may map, whether they are used or not.
	AddressSpace uint64 `json:"addressSpace"`
	// Files is how many files each process may have open.
	Files uint64 `json:"files"`
	// FileSize is how many bytes a file that the program writes may have.
	FileSize uint64 `json:"fileSize"`
}

// Result is how a program ended.
type Result struct {
	// Exit is the exit code, -1 if a signal ended the program.
	Exit int `json:"exit"`
	// Signal is the name of that signal, or "".
	Signal string `json:"signal,omitempty"`
	// Peak is the largest amount of memory that was measured, in bytes; OverMemory says that it was too much, and
	// that the program was killed for this.
	Peak       int64 `json:"peak"`
	OverMemory bool  `json:"overMemory,omitempty"`
	// Stopped says that the program was asked to end by its context.
	Stopped bool `json:"stopped,omitempty"`
}

// The file descriptors of the supervisor beside the standard ones.
const (
	lifelineFD = 3 // the pipe with the order to run, which ends when the starter is gone
	resultFD   = 4
	heldFD     = 5
)

// order names the program that the supervisor is to run.
type order struct {
	Path   string        `json:"path"`
	Args   []string      `json:"args"`
	Dir    string        `json:"dir"`
	Env    []string      `json:"env"`
	Limits Limits        `json:"limits"`
	Grace  time.Duration `json:"grace"`
}

// message is an answer of the supervisor: the process ID of the program once it runs, and then its end.
type message struct {
	PID    int     `json:"pid,omitempty"`
	Failed string  `json:"failed,omitempty"`
	End    *Result `json:"end,omitempty"`
}

// killAfter is how long a supervisor may take beyond the grace of its program, until it is killed itself.
const killAfter = 10 * time.Second

// Run runs a program until it ends, or until the context ends and the program has been stopped. Nothing of the
// program runs when Run returns. An error means that it could not be started, or that its end is not known.
func Run(ctx context.Context, c Command) (Result, error) {
	if len(c.Supervisor) == 0 {
		return Result{}, errors.New("no supervisor is named")
	}
	told, tell, err := os.Pipe()
	if err != nil {
		return Result{}, err
	}
	defer tell.Close()
	heard, answer, err := os.Pipe()
	if err != nil {
		return Result{}, errors.Join(err, told.Close())
	}
	defer heard.Close()
	cmd := exec.CommandContext(ctx, c.Supervisor[0], c.Supervisor[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = []string{}, c.Output, c.Output
	cmd.ExtraFiles = []*os.File{told, answer}
	if c.Held != nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, c.Held)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C in a terminal is for the starter, who then stops its programs
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = c.Grace + killAfter
	err = cmd.Start()
	told.Close()
	answer.Close()
	if err != nil {
		return Result{}, fmt.Errorf("the supervisor of %s: %w", c.Path, err)
	}
	sent := json.NewEncoder(tell).Encode(order{c.Path, c.Args, c.Dir, c.Env, c.Limits, c.Grace})
	waited := cmd.Wait()
	started, end, failed := readMessages(heard)
	if end == nil && started > 0 {
		killGroup(started) // the supervisor was killed and could not end the group
	}
	switch {
	case failed != "":
		return Result{}, fmt.Errorf("%s cannot be started: %s", c.Path, failed)
	case end == nil:
		return Result{Exit: -1}, fmt.Errorf("the supervisor of %s ended without a result: %w", c.Path, errors.Join(sent, waited))
	}
	return *end, nil
}

// longestMessages bounds how many bytes of a supervisor's messages are read.
const longestMessages = 64 << 10

func readMessages(from io.Reader) (started int, end *Result, failed string) {
	decoder := json.NewDecoder(io.LimitReader(from, longestMessages))
	for {
		var m message
		if decoder.Decode(&m) != nil {
			return started, end, failed
		}
		if m.PID > 0 {
			started = m.PID
		}
		if m.End != nil {
			end = m.End
		}
		if m.Failed != "" {
			failed = m.Failed
		}
	}
}

// killGroup kills the group of processes that a program leads.
func killGroup(leader int) { _ = syscall.Kill(-leader, syscall.SIGKILL) }
