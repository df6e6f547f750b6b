package promql

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// binaryFile is the program that "make build" builds.
const binaryFile = "../../../bin/headwater"

// requests cause the series that a server exports only after certain events.
var requests = []struct{ method, path, body string }{
	{http.MethodGet, "/health/ready", ""},
	{http.MethodGet, "/config", ""},
	{http.MethodPost, "/entities?action=search", `{"input":"orders","entity":"dataset","start":0,"count":10}`},
	{http.MethodPost, "/api/graphql", `{"query":"{ __typename }"}`},
	{http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"orders"}}}`},
}

var (
	once    sync.Once
	scraped exported
	failure error
)

// scrape returns the series of a server with the sample catalog after some requests.
func scrape(t *testing.T) exported {
	t.Helper()
	once.Do(func() { scraped, failure = scrapeServer(t) })
	if failure != nil {
		t.Fatalf("%v (make build makes %s)", failure, binaryFile)
	}
	return parseCopy(scraped)
}

// parseCopy returns a copy of a scrape, to which a test can add series.
func parseCopy(e exported) exported {
	c := exported{}
	for name, values := range e {
		c[name] = values
	}
	return c
}

func scrapeServer(t *testing.T) (exported, error) {
	t.Helper()
	path, err := filepath.Abs(binaryFile)
	if err != nil {
		return nil, err
	}
	server := exec.Command(path, "serve", "--listen", "127.0.0.1:0", "--sample", "--data", t.TempDir())
	server.Stderr = os.Stderr
	server.Dir = t.TempDir()
	server.Env = append(os.Environ(), "HEADWATER_LOG_LEVEL=error")
	out, err := server.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := server.Start(); err != nil {
		return nil, err
	}
	defer func() {
		_ = server.Process.Signal(os.Interrupt) // the process may have ended already
		_ = server.Wait()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, err
	}
	base := strings.TrimPrefix(strings.TrimSpace(line), "listening on ")
	for _, r := range requests {
		if _, err := answer(r.method, base+r.path, r.body); err != nil {
			return nil, err
		}
	}
	patience := time.After(time.Minute)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for { // the server counts entities in the background
		text, err := answer(http.MethodGet, base+"/metrics", "")
		if err != nil {
			return nil, err
		}
		if strings.Contains(text, "headwater_entities{") {
			return parseScrape(text), nil
		}
		select {
		case <-tick.C:
		case <-patience:
			return nil, errors.New("the server has not counted its entities within a minute")
		}
	}
}

var client = &http.Client{Timeout: 30 * time.Second}

func answer(method, url, body string) (string, error) {
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}
