// Package e2e tests the built binary over HTTP, on both stores, with the same
// cases, and with the real Python client.
package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// binary builds the product once.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "headwater-e2e")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "headwater")
	build := exec.Command("go", "build", "-o", path, "./cmd/headwater")
	build.Dir = testservers.Root()
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// server is a running binary.
type server struct {
	t    testing.TB
	base string
	cmd  *exec.Cmd
	log  *logText
}

// logText is what a process has logged so far. It may be read while it runs.
type logText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// start runs "headwater serve" with flags and waits until it listens.
func start(t testing.TB, flags ...string) *server {
	t.Helper()
	return startVerb(t, append([]string{"serve"}, flags...)...)
}

// startVerb runs a command that serves, with its arguments and flags.
func startVerb(t testing.TB, arguments ...string) *server {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, log: &logText{}}
	s.cmd = exec.Command(path, append([]string{arguments[0], "--listen", "127.0.0.1:0"}, arguments[1:]...)...)
	s.cmd.Dir = t.TempDir()
	s.cmd.Stderr = s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	base, found := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !found {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		t.Fatalf("the server said %q: %s", line, s.log)
	}
	s.base = base
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // usually it has ended by now
		_ = s.cmd.Wait()
	})
	return s
}

// stop ends the server as an operator would and checks that it ends well.
func (s *server) stop() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("the server ended with %v: %s", err, s.log)
	}
}

// kill ends the server as a crash would.
func (s *server) kill() {
	s.t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		s.t.Fatal(err)
	}
	_ = s.cmd.Wait() // it was killed
}

var httpClient = &http.Client{Timeout: time.Minute}

// send sends a request with the li dialect's headers and returns the status
// and the decoded body, nil for an empty one.
func (s *server) send(method, target, body string, headers ...string) (int, any) {
	s.t.Helper()
	status, answer, err := s.try(method, target, body, headers...)
	if err != nil {
		s.t.Fatalf("%s %s: %v: %s", method, target, err, s.log)
	}
	return status, answer
}

func (s *server) try(method, target, body string, headers ...string) (int, any, error) {
	status, answer, _, err := s.tryWith(httpClient, method, target, body, headers...)
	return status, answer, err
}

// tryWith sends a request through a client, and returns the header of the answer
// too.
func (s *server) tryWith(client *http.Client, method, target, body string, headers ...string) (int, any, http.Header, error) {
	req, err := http.NewRequestWithContext(context.Background(), method, s.base+target, strings.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if len(headers) == 0 {
		headers = []string{"X-RestLi-Protocol-Version", "2.0.0"}
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || len(text) == 0 {
		return resp.StatusCode, nil, resp.Header, err
	}
	var answer any
	if err := json.Unmarshal(text, &answer); err != nil {
		return resp.StatusCode, string(text), resp.Header, nil //nolint:nilerr // not every answer is JSON
	}
	return resp.StatusCode, answer, resp.Header, nil
}

// at follows a path of members and indices.
func at(answer any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := answer.(map[string]any)
			answer = object[step]
		case int:
			list, _ := answer.([]any)
			if step >= len(list) {
				return nil
			}
			answer = list[step]
		}
	}
	return answer
}

// backend is one way to run the server.
type backend struct {
	name string
	// flags for a fresh, empty store; the same flags reopen it.
	flags func(t *testing.T) []string
}

func backends() []backend {
	return []backend{
		{"embedded", func(t *testing.T) []string { return []string{"--data", t.TempDir()} }},
		{"neo4j and typesense", func(t *testing.T) []string {
			uri := testservers.Neo4j(t)
			wipe(t, uri)
			return append([]string{"--graph", uri}, typesenseFlags(testservers.Typesense(t))...)
		}},
	}
}

// typesenseFlags are those of a fresh, empty index on Typesense nodes.
func typesenseFlags(nodes ...string) []string {
	hosts := make([]string, len(nodes))
	for i, node := range nodes {
		hosts[i] = strings.TrimPrefix(node, "http://")
	}
	return []string{
		"--search", "typesense://" + testservers.TypesenseKey + "@" + strings.Join(hosts, ","),
		"--search-prefix", fmt.Sprintf("e2e%d", time.Now().UnixNano()),
	}
}
