package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// running is a server in this process.
type running struct {
	t      *testing.T
	url    string
	first  string
	client *http.Client
	log    *lockedText
}

// lockedText collects the log of a server.
type lockedText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// serving runs a server until the test ends.
func serving(t *testing.T, args ...string) *running {
	t.Helper()
	s := &running{t: t, client: &http.Client{Transport: &http.Transport{}}, log: &lockedText{}}
	ctx, stop := context.WithCancel(context.Background())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	settings := settings(t, args...)
	go func() {
		err := Run(ctx, settings, Build{Version: "1.2.3", Commit: "abc"}, Reload{}, in, s.log)
		_ = in.CloseWithError(io.ErrUnexpectedEOF)
		ended <- err
	}()
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	if err == nil && strings.HasPrefix(line, "the first administrator") {
		line, err = lines.ReadString('\n')
	}
	if err != nil {
		t.Fatal(err, s.log)
	}
	s.first = strings.TrimSpace(line)
	s.url = "http://" + regexp.MustCompile(`[\d.\[\]:]+:\d+`).FindString(s.first[strings.Index(s.first, "//"):])
	return s
}

// ask sends a request and returns the body of the answer, which must be a success.
func (s *running) ask(method, path, body string, headers ...string) string {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusCreated {
		s.t.Fatalf("%s %s: %s %s %v", method, path, resp.Status, text, err)
	}
	return string(text)
}

// scrapeUntil scrapes the metrics until they contain a text, and returns them.
func (s *running) scrapeUntil(text string) string {
	s.t.Helper()
	var scraped string
	if !testclock.Poll(2*time.Minute, func() bool {
		scraped = s.ask(http.MethodGet, "/metrics", "")
		return strings.Contains(scraped, text)
	}) {
		s.t.Fatalf("there is no %s in the metrics:\n%s", text, scraped)
	}
	return scraped
}

var (
	documentedMetric = regexp.MustCompile("`(headwater_\\w+)(?:\\{([^}]*)\\})?`")
	exportedMetric   = regexp.MustCompile(`(?m)^# TYPE (headwater_\w+) (\w+)$`)
	exportedSample   = regexp.MustCompile(`(?m)^(headwater_\w+)(?:\{(.*)\})? \S+$`)
	labelName        = regexp.MustCompile(`(\w+)="`)
)

// labelsOf returns the names of the labels of each metric, sorted and joined.
func labelsOf(scraped string) map[string]string {
	of := map[string]string{}
	for _, m := range exportedMetric.FindAllStringSubmatch(scraped, -1) {
		of[m[1]] = ""
	}
	for _, m := range exportedSample.FindAllStringSubmatch(scraped, -1) {
		name := m[1]
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			if base := strings.TrimSuffix(name, suffix); base != name {
				if _, ok := of[base]; ok {
					name = base
				}
			}
		}
		var labels []string
		for _, l := range labelName.FindAllStringSubmatch(m[2], -1) {
			if l[1] != "le" {
				labels = append(labels, l[1])
			}
		}
		slices.Sort(labels)
		of[name] = strings.Join(labels, ",")
	}
	return of
}

// TestMetricsAreDocumented: docs/operations.md lists exactly the metrics and labels that
// the server exports.
func TestMetricsAreDocumented(t *testing.T) {
	data := t.TempDir()
	someFollower(t, data)
	s := serving(t, "--sample", "--data", data)
	s.ask(http.MethodPost, "/api/graphql", `{"query":"{ __typename }"}`)
	s.ask(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"orders"}}}`,
		"Accept", "application/json, text/event-stream")
	scraped := s.scrapeUntil(`headwater_entities{type="dataset"}`) // entities are counted in the background
	text, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| `headwater_") {
			continue
		}
		first, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		for _, m := range documentedMetric.FindAllStringSubmatch(first, -1) {
			labels := strings.Split(m[2], ",")
			slices.Sort(labels)
			documented[m[1]] = strings.Join(labels, ",")
		}
	}
	if diff := cmp.Diff(documented, labelsOf(scraped)); diff != "" {
		t.Errorf("docs/operations.md (-) and /metrics (+) differ:\n%s", diff)
	}
}

// TestEntitiesInMetrics: the metrics have the same numbers of entities as the catalog.
func TestEntitiesInMetrics(t *testing.T) {
	s := serving(t, "--sample", "--executor", "off") // whose claim of runs is a request that waits
	scraped := s.scrapeUntil(`headwater_entities{`)
	var answer struct{ Value map[string]int }
	if err := json.Unmarshal([]byte(s.ask(http.MethodPost, "/entities?action=batchGetTotalEntityCount", `{"entities":["dataset","dashboard","corpuser"]}`)), &answer); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(answer.Value)) {
		line := `headwater_entities{type="` + name + `"} ` + strconv.Itoa(answer.Value[name]) + "\n"
		if !strings.Contains(scraped, line) {
			t.Errorf("there is no line %q", line)
		}
	}
	for _, line := range []string{
		`headwater_backend_ready{backend="graph"} 1`, `headwater_backend_ready{backend="search"} 1`, `headwater_http_requests_in_flight 1`,
	} {
		if !strings.Contains(scraped, line+"\n") {
			t.Errorf("there is no line %q", line)
		}
	}
	if regexp.MustCompile(`(?m)^headwater_(data_bytes\{part="(store|index)"\}|disk_free_bytes|disk_size_bytes|log_changes) (0|-1)$`).MatchString(scraped) {
		t.Errorf("sizes are missing: %s", scraped)
	}
}

// TestAnnouncement: the line with the server's URL has the format of the log. The log
// begins with a line about the version and the backends.
func TestAnnouncement(t *testing.T) {
	s := serving(t, "--log-format", "json")
	var line struct{ Msg, URL string }
	if err := json.Unmarshal([]byte(s.first), &line); err != nil || line.Msg != "listening" || line.URL != s.url {
		t.Errorf("%q: %v", s.first, err)
	}
	first, _, _ := strings.Cut(s.log.String(), "\n")
	var start struct{ Msg, Version, Commit, Graph, Search, Data string }
	if err := json.Unmarshal([]byte(first), &start); err != nil || start.Msg != "starting" || start.Version != "1.2.3" || start.Graph != "embedded" || start.Data == "" {
		t.Errorf("%q: %v", first, err)
	}
	if strings.Contains(s.log.String(), "no authentication") {
		t.Errorf("a local server warns: %s", s.log)
	}
}

// TestOpenServerWarns: a server that other machines can reach logs once that it has no
// authentication.
func TestOpenServerWarns(t *testing.T) {
	port, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Skip("no other address:", err)
	}
	port.Close()
	s := serving(t, "--listen", "0.0.0.0:0", "--allow-anyone")
	s.ask(http.MethodGet, "/config", "")
	if n := strings.Count(s.log.String(), "no authentication"); n != 1 {
		t.Errorf("%d warnings: %s", n, s.log)
	}
}

// someFollower adds a follower to a store, because the metrics of followers exist only with
// one.
func someFollower(t *testing.T, data string) {
	t.Helper()
	store, err := embedded.Open(t.Context(), embedded.Options{Dir: data})
	if err == nil {
		_, err = store.PutRecord(t.Context(), "follower/other", []byte(`{"cursor":""}`), "")
		err = errors.Join(err, store.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}
