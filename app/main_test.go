package app

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testleaks"
)

// TestMain fails if a server that was stopped leaves a goroutine behind.
func TestMain(m *testing.M) { testleaks.Main(m) }

// TestEndsWhileBusy: a server that is stopped ends a stream that a client reads and a
// rebuild of the index. TestMain finds goroutines that are left.
func TestEndsWhileBusy(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := Run(ctx, settings(t, "--sample"), Build{}, Reload{}, in, io.Discard)
		_ = in.CloseWithError(io.ErrUnexpectedEOF)
		ended <- err
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err, <-ended)
	}
	url := strings.TrimPrefix(strings.TrimSpace(line), "listening on ")
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	send := func(method, path, accept string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, url+path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", accept)
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%s %s: %s", method, path, resp.Status)
		}
		return resp
	}
	stream := send(http.MethodGet, "/events", "text/event-stream")
	defer stream.Body.Close()
	if _, err := bufio.NewReader(stream.Body).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	send(http.MethodPost, "/index?action=rebuild", "application/json").Body.Close()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
