package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// server is a running headwater binary.
type server struct {
	cmd  *exec.Cmd
	base string
	http *http.Client
	// token, if set, shows who makes the requests.
	token string
	// started is the time from the start of the process to the line with its address.
	started time.Duration
}

// onNeo4jFlags returns the flags of a server on Neo4j with an empty embedded index.
func (b *bench) onNeo4jFlags() []string {
	b.indexes++
	return []string{"--graph", b.neo4j, "--data", filepath.Join(b.dir, fmt.Sprintf("index-%d", b.indexes))}
}

func startServer(ctx context.Context, binary string, args ...string) (*server, error) {
	return startCommand(ctx, []string{binary, "serve"}, args...)
}

// startCommand starts a server with a command, such as headwater serve.
func startCommand(ctx context.Context, command []string, args ...string) (*server, error) {
	args = append(append(command[1:len(command):len(command)], "--listen", "127.0.0.1:0", "--log-level", "warn"), args...)
	cmd := exec.CommandContext(ctx, command[0], args...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	base, found := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !found {
		_ = cmd.Process.Kill()
		return nil, fmt.Errorf("server said %q instead of listening: %w", line, errors.Join(err, cmd.Wait()))
	}
	go io.Copy(io.Discard, out) //nolint:errcheck // the pipe only has to stay drained
	return &server{
		cmd: cmd, base: base, started: time.Since(begin),
		http: newClient(),
	}, nil
}

func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}
}

func (s *server) stop() error {
	s.http.CloseIdleConnections()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.cmd.Wait()
}

// post sends a JSON body, and returns an error unless the status is 200.
func (s *server) post(ctx context.Context, path string, body []byte) ([]byte, error) {
	return s.do(ctx, http.MethodPost, path, body)
}

func (s *server) get(ctx context.Context, path string) ([]byte, error) {
	return s.do(ctx, http.MethodGet, path, nil)
}

func (s *server) do(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	answer, _, err := s.exchange(ctx, method, path, body)
	return answer, err
}

// exchange sends a request, and returns the body and the header of the answer.
func (s *server) exchange(ctx context.Context, method, path string, body []byte) ([]byte, http.Header, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("X-RestLi-Protocol-Version", "2.0.0")
	req.Header.Set("Content-Type", "application/json")
	if s.token != "" {
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s: %.300s", method, path, resp.Status, answer)
	}
	return answer, resp.Header, err
}

// allocations returns the server's heap allocations from /metrics.
func (s *server) allocations(ctx context.Context) (allocations, error) {
	text, err := s.get(ctx, "/metrics")
	if err != nil {
		return allocations{}, err
	}
	var a allocations
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch name {
		case "go_memstats_mallocs_total":
			a.mallocs, err = strconv.ParseFloat(value, 64)
		case "go_memstats_alloc_bytes_total":
			a.bytes, err = strconv.ParseFloat(value, 64)
		}
		if err != nil {
			return a, err
		}
	}
	return a, nil
}

// resident returns the server's resident memory and its peak, in MiB.
func (s *server) resident() (now, peak float64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(line, ":")
		kib, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
		switch name {
		case "VmRSS":
			now = kib / 1024
		case "VmHWM":
			peak = kib / 1024
		}
	}
	return now, peak, nil
}

// processor is the processor time that the server has used.
func (s *server) processor() (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest) // from the third field of proc(5) on; utime is the 14th, stime the 15th
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/PID/stat has %d fields", len(fields)+2)
	}
	ticks := 0
	for _, field := range fields[11:13] {
		n, err := strconv.Atoi(field)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * (time.Second / 100), nil
}

// measure is the function measure with the server's allocations in place of this process's.
func (s *server) measure(ctx context.Context, clients, n int, op func(ctx context.Context, i int) error) (figure, error) {
	before, err := s.allocations(ctx)
	if err != nil {
		return figure{}, err
	}
	f, err := measure(ctx, clients, n, op)
	if err != nil {
		return f, err
	}
	after, err := s.allocations(ctx)
	f.mallocs, f.bytes = after.mallocs-before.mallocs, after.bytes-before.bytes
	return f, err
}

func (s *server) relationshipsPath(urn string) string {
	return "/relationships?direction=OUTGOING&types=List(DownstreamOf)&urn=" + url.QueryEscape(urn)
}

func (s *server) entityPath(urn, aspect string) string {
	return "/entitiesV2/" + url.PathEscape(urn) + "?aspects=List(" + aspect + ")"
}
