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

// server is the built product, with data of its own.
type server struct {
	process *os.Process
	gone    chan struct{}
	url     string
}

// startPatience is how long the server may take until it listens.
const startPatience = 3 * time.Minute

// start runs the server and returns when it says where it listens. Its log
// goes to server.log in dir.
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
		line, _ := lines.ReadString('\n') // an empty line says enough
		said <- strings.TrimSpace(line)
		_, _ = io.Copy(io.Discard, lines) // until it ends
		_ = cmd.Wait()                    // how it ends is no matter
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

// stop ends the server, at the latest after ten seconds.
func (s *server) stop() {
	_ = s.process.Signal(syscall.SIGTERM) // it may have ended already
	select {
	case <-s.gone:
	case <-time.After(10 * time.Second):
		_ = s.process.Kill()
		<-s.gone
	}
}
