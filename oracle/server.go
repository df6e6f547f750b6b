package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// server is a process of the built product with data of its own.
type server struct {
	process *os.Process
	gone    chan struct{}
	url     string
}

// startPatience is how long the start of the server may take.
const startPatience = 3 * time.Minute

// start starts the server, and returns when it has printed its address. Its log is written
// to server.log in dir.
func start(o *options, dir string) (*server, error) {
	binary, err := filepath.Abs(o.binary)
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, "server.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(binary, "serve", "--listen", "127.0.0.1:0", "--log-level", "warn", //nolint:noctx // it outlives every request
		"--data", filepath.Join(dir, "data"), "--graph", o.graph, "--search", o.search)
	cmd.Dir, cmd.Stderr = dir, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{process: cmd.Process, gone: make(chan struct{})}
	said := make(chan string, 1)
	go func() {
		defer close(s.gone)
		lines := bufio.NewReader(out)
		line, _ := lines.ReadString('\n') // after an error, the line is empty
		said <- strings.TrimSpace(line)
		_, _ = io.Copy(io.Discard, lines) // until the process ends
		_ = cmd.Wait()                    // the exit status does not matter
	}()
	select {
	case line := <-said:
		if url, ok := strings.CutPrefix(line, "listening on "); ok {
			s.url = url
			return s, nil
		}
		s.stop()
		return nil, fmt.Errorf("the server does not start, it said %q; see %s", line, log.Name())
	case <-time.After(startPatience):
		s.stop()
		return nil, fmt.Errorf("the server does not listen after %v; see %s", startPatience, log.Name())
	}
}

// stop ends the server. After ten seconds it kills the server.
func (s *server) stop() {
	_ = s.process.Signal(syscall.SIGTERM) // the process may have ended already
	select {
	case <-s.gone:
	case <-time.After(10 * time.Second):
		_ = s.process.Kill()
		<-s.gone
	}
}
