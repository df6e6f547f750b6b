// Package e2e tests the built binary over HTTP: with the same cases on both stores, and
// with the real Python client.
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
	"github.com/headwater-io/headwater/internal/testing/testsql"
)

// binary builds the product once and returns the path of the program.
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

// server is a running process of the binary.
type server struct {
	t    testing.TB
	base string
	// first is the link for the first administrator, "" if the server has printed none.
	first string
	// authorization is the header Authorization of requests, "" for none.
	authorization string
	cmd           *exec.Cmd
	log           *logText
}

// logText collects the log of a process. It may be read while the process runs.
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

// start runs "headwater serve" with flags, and waits until it listens.
func start(t testing.TB, flags ...string) *server {
	t.Helper()
	return startVerb(t, append([]string{"serve"}, flags...)...)
}

// startVerb runs a serving command with its arguments and flags, and waits until it
// listens.
func startVerb(t testing.TB, arguments ...string) *server {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, log: &logText{}}
	s.cmd = exec.Command(path, append([]string{arguments[0], "--listen", "127.0.0.1:0"}, arguments[1:]...)...)
	s.cmd.Dir = t.TempDir()
	s.cmd.Env = append(os.Environ(), "HEADWATER_SQL_CACHE="+testsql.Cache())
	s.cmd.Stderr = s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	if _, link, found := strings.Cut(strings.TrimSpace(line), "the first administrator signs up once at "); found {
		s.first = link
		line, err = lines.ReadString('\n')
	}
	base, found := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !found {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		t.Fatalf("the server said %q: %s", line, s.log)
	}
	s.base = base
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // the process has usually ended already
		_ = s.cmd.Wait()
	})
	return s
}

// stop ends the server with SIGTERM, and checks that it ends without an error.
func (s *server) stop() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("the server ended with %v: %s", err, s.log)
	}
}

// kill ends the server at once, as a crash would.
func (s *server) kill() {
	s.t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		s.t.Fatal(err)
	}
	_ = s.cmd.Wait() // the error says that the process was killed
}

var httpClient = &http.Client{Timeout: time.Minute}

// send sends a request with the headers of the dialect li. It returns the status and the
// decoded body, nil for an empty one.
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

// tryWith sends a request with a client. It also returns the header of the answer.
func (s *server) tryWith(client *http.Client, method, target, body string, headers ...string) (int, any, http.Header, error) {
	req, err := http.NewRequestWithContext(context.Background(), method, s.base+target, strings.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if s.authorization != "" {
		req.Header.Set("Authorization", s.authorization)
	}
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

// at returns the value at a path of members and indices.
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

// backend is one way of running the server.
type backend struct {
	name string
	// flags returns the flags for a new, empty store. The same flags open it again.
	flags func(t *testing.T) []string
}

// secretsKey is the key of secrets of servers with Neo4j, which make none.
const secretsKey = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="

func backends() []backend {
	return []backend{
		{"embedded", func(t *testing.T) []string { return []string{"--data", t.TempDir()} }},
		{"neo4j and typesense", func(t *testing.T) []string {
			uri := testservers.Neo4j(t)
			wipe(t, uri)
			return append([]string{"--graph", uri, "--secrets-key", secretsKey}, typesenseFlags(testservers.Typesense(t))...)
		}},
	}
}

// typesenseFlags returns the flags for a new, empty index on Typesense nodes.
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
