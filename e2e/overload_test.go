package e2e

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// worstBody is a request whose body would be far larger in memory than on the wire.
type worstBody struct {
	name, target, body string
	headers            []string
}

func packed(t *testing.T, parts ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	for _, part := range parts {
		if _, err := io.WriteString(w, part); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// worstBodies returns bodies of each kind: compressed and plain bodies that are refused at
// once, and bodies that are barely within every limit.
func worstBodies(t *testing.T) []worstBody {
	t.Helper()
	gz := []string{"Content-Type", "application/json", "Content-Encoding", "gzip", "X-RestLi-Protocol-Version", "2.0.0"}
	lines := append([]string{"Content-Type", "application/x-ndjson"}, gz[2:]...)
	list := func(begin, item string, n int, end string) []string {
		return []string{begin, strings.Repeat(item+",", n), item, end}
	}
	const much = 48 << 20
	// Noise, so that the ratio of compression alone is no reason to refuse the body.
	noise := func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "%x ", i*2654435761)
		}
		return b.String()
	}
	value := `{\"name\":[` + strings.Repeat(`[],`, 900_000) + `[]]}`
	proposal := `{"entityType":"tag","entityUrn":"urn:li:tag:x","changeType":"UPSERT","aspectName":"tagProperties","aspect":{"contentType":"application/json","value":"` + value + `"}}`
	return []worstBody{
		{"proposals", "/aspects?action=ingestProposalBatch", packed(t, list(`{"proposals":[`, `{}`, much/3, `]}`)...), gz},
		{"proposals within the limits", "/aspects?action=ingestProposalBatch&partial=true", packed(t, list(`{"proposals":[`, `{}`, 49_000, `]}`)...), gz},
		{"lines", "/aspects?action=ingestProposalBatch", packed(t, strings.Repeat("{}\n", much/3)), lines},
		{"values", "/aspects?action=ingestProposalBatch", packed(t, list(`{"proposals":[`, proposal, 8, `],"x":"`+noise(1<<20)+`"}`)...), gz},
		{"filters", "/entities?action=search", packed(t, list(`{"input":"*","entity":"dataset","filter":{"or":[`, `{"and":[{}]}`, much/12, `]}}`)...), gz},
		{"filters within the limits", "/entities?action=search", packed(t, list(`{"input":"*","entity":"dataset","filter":{"or":[`, `{"and":[{}]}`, 1_000, `]}}`)...), gz},
		{"variables", "/api/graphql", packed(t, list(`{"query":"{appConfig{appVersion}}","variables":{"a":[`, `{"a":{}}`, much/8, `]}}`)...), gz},
		{"variables within the limits", "/api/graphql", packed(t, list(`{"query":"{appConfig{appVersion}}","variables":{"a":[`, `{"a":{}}`, 49_000, `]}}`)...), gz},
		{"deletes", "/entities?action=batchDelete", packed(t, list(`{"urns":[`, `""`, much/3, `]}`)...), gz},
		{"snapshots", "/entities?action=batchIngest", packed(t, list(`{"entities":[`, `{"value":{}}`, much/12, `]}`)...), gz},
		{"an import", "/import", packed(t, list(`{"entity":{"urn":"urn:li:tag:x","edges":[`, `{}`, 4*much/3, `]}}`)...), gz},
		{"an import within the limits", "/import", packed(t, list(`{"entity":{"urn":"urn:li:tag:x","versions":[`, `{}`, 200_000, `]}}`)...), gz},
		{"a long text", "/entities?action=exists", packed(t, `{"urn":"`, strings.Repeat(noise(1<<20), 40), `"}`), gz},
		{"depth", "/entities?action=search", strings.Repeat(`{"filter":`, 1<<20), gz[:2]},
	}
}

// peakMemory returns the largest memory that the process has had, in bytes.
func (s *server) peakMemory() int64 {
	s.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		s.t.Skip("the system does not say how much memory a process has")
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmHWM:" {
			n, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				s.t.Fatal(err)
			}
			return n << 10
		}
	}
	s.t.Fatal("the system says no VmHWM")
	return 0
}

// TestWorstBodies: a hundred of the worst bodies at once (a quarter of that in make test)
// do not end a server with little memory, and small requests at the same time are answered.
func TestWorstBodies(t *testing.T) {
	if testing.Short() {
		t.Skip("loads the machine")
	}
	const memory = 1 << 30
	atOnce := testsize.Of(25, 100)
	requests := int64(atOnce + atOnce/10)
	t.Setenv("GOMEMLIMIT", strconv.Itoa(memory))
	s := start(t, "--data", t.TempDir(), "--log-level", "error")
	bodies := worstBodies(t)
	before := s.peakMemory()
	over := make(chan struct{})
	innocent := s.innocentRequests(over)
	statuses := s.sendWorstBodies(bodies, atOnce, requests)
	close(over)
	answered := <-innocent
	peak := s.peakMemory()
	t.Logf("peak memory %d MiB, before %d MiB", peak>>20, before>>20)
	if peak > memory*3/2 {
		t.Errorf("the server had %d MiB of memory", peak>>20)
	}
	if answered < 4 {
		t.Error("no innocent request was answered")
	}
	for _, b := range bodies {
		for status := range statuses[b.name] {
			within := strings.HasSuffix(b.name, "within the limits")
			if status == 0 && len(b.body) > 256<<10 {
				continue // the server may refuse a body before all of it is sent
			}
			if status != 503 && status != 400 && status != 413 && (!within || status != 200) {
				t.Errorf("%s: %d", b.name, status)
			}
		}
	}
	if status, answer := s.send("GET", "/health/ready", ""); status != 200 {
		t.Errorf("afterwards: %d %v", status, answer)
	}
	s.stop()
}

// sendWorstBodies sends the bodies in turn, several at a time, and counts the statuses by
// the name of the body.
func (s *server) sendWorstBodies(bodies []worstBody, atOnce int, requests int64) map[string]map[int]int {
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: atOnce}}
	defer client.CloseIdleConnections()
	var (
		group    sync.WaitGroup
		next     atomic.Int64
		mu       sync.Mutex
		statuses = map[string]map[int]int{}
		slowest  = map[string]time.Duration{}
	)
	for range atOnce {
		group.Go(func() {
			for n := next.Add(1); n <= requests; n = next.Add(1) {
				b := bodies[int(n)%len(bodies)]
				began := time.Now()
				status := sendWorst(s.base, client, b)
				mu.Lock()
				slowest[b.name] = max(slowest[b.name], time.Since(began).Round(time.Millisecond))
				if statuses[b.name] == nil {
					statuses[b.name] = map[int]int{}
				}
				statuses[b.name][status]++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	s.t.Logf("%d of the worst bodies: %v, the slowest answers %v", requests, statuses, slowest)
	return statuses
}

// innocentRequests sends requests that must be answered until over is closed. The channel
// then receives the number of answers.
func (s *server) innocentRequests(over <-chan struct{}) <-chan int {
	done := make(chan int, 1)
	go func() {
		var answered int
		var longest time.Duration
		defer func() {
			s.t.Logf("%d other requests, the longest %v", answered, longest)
			done <- answered
		}()
		for {
			select {
			case <-over:
				return
			case <-time.After(50 * time.Millisecond):
			}
			for _, r := range []struct{ method, target, body string }{
				{"POST", "/aspects?action=ingestProposal", fmt.Sprintf(`{"proposal":{"entityType":"tag","entityUrn":"urn:li:tag:t%d","changeType":"UPSERT","aspectName":"tagProperties","aspect":{"value":"{\"name\":\"x\"}","contentType":"application/json"}}}`, answered)},
				{"GET", "/entitiesV2/urn:li:tag:t0", ""},
				{"POST", "/entities?action=search", `{"input":"x","entity":"tag","start":0,"count":10}`},
				{"POST", "/api/graphql", `{"query":"{appConfig{appVersion}}"}`},
			} {
				began := time.Now()
				status, answer, err := s.try(r.method, r.target, r.body)
				if err != nil || status != 200 {
					s.t.Errorf("innocent: %s %s: %d %v %v", r.method, r.target, status, answer, err)
				}
				longest = max(longest, time.Since(began))
				answered++
			}
		}
	}()
	return done
}

// sendWorst sends a body and returns the status, 0 if there was no answer.
func sendWorst(base string, client *http.Client, b worstBody) int {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, base+b.target, strings.NewReader(b.body))
	if err != nil {
		return 0
	}
	for i := 0; i < len(b.headers); i += 2 {
		req.Header.Set(b.headers[i], b.headers[i+1])
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body) // only the status matters
	return resp.StatusCode
}
