package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// hookWrites is how many changes a test of webhooks makes.
const hookWrites = 30

func hookTag(n int) string { return fmt.Sprintf("urn:li:tag:hook%d", n) }

// writeTag writes a tag.
func (s *server) writeTag(n int) {
	s.t.Helper()
	if status, answer := s.send(http.MethodPost, "/aspects?action=ingestProposal",
		fmt.Sprintf(`{"proposal":{"entityType":"tag","entityUrn":%q,"changeType":"UPSERT","aspectName":"tagProperties","aspect":{"value":"{\"name\":\"%d\"}","contentType":"application/json"}}}`, hookTag(n), n)); status != http.StatusOK {
		s.t.Fatal(status, answer)
	}
}

// webhook makes a webhook for changes of tagProperties and returns its secret.
func (s *server) webhook(url string) string {
	s.t.Helper()
	status, answer := s.send(http.MethodPost, "/webhooks", fmt.Sprintf(`{"id":"hook","url":%q,"filter":{"aspects":["tagProperties"]}}`, url))
	secret, _ := at(answer, "secret").(string)
	if status != http.StatusCreated || !strings.HasPrefix(secret, "whsec_") {
		s.t.Fatal(status, answer)
	}
	return secret
}

// TestWebhooksSurviveKill: a server that is killed several times while it delivers loses no
// event.
func TestWebhooksSurviveKill(t *testing.T) {
	var mu sync.Mutex
	arrived, calls := map[string]bool{}, 0
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Data []struct {
				URN string `json:"entityUrn"`
			} `json:"data"`
		}
		err := json.NewDecoder(r.Body).Decode(&body)
		mu.Lock()
		defer mu.Unlock()
		if calls++; err != nil || calls%3 == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		for _, event := range body.Data {
			arrived[event.URN] = true
		}
	}))
	t.Cleanup(receiver.Close)
	count := func() (events, requests int) {
		mu.Lock()
		defer mu.Unlock()
		return len(arrived), calls
	}
	flags := []string{"--data", t.TempDir(), "--webhook-private"}
	s := start(t, flags...)
	s.webhook(receiver.URL)
	for n := range hookWrites {
		s.writeTag(n)
		if n%10 == 9 {
			_, before := count()
			testclock.Await(t, "another request", func() bool { _, now := count(); return now > before })
			s.kill()
			s = start(t, flags...)
		}
	}
	testclock.Await(t, "every event arrives", func() bool { events, _ := count(); return events == hookWrites })
	s.stop()
}

// TestWebhookReceiver runs the receiver in docs/webhooks.md.
func TestWebhookReceiver(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	_, blocks := documented(t, "docs/webhooks.md")
	if len(blocks) != 1 {
		t.Fatalf("%d blocks are tested here", len(blocks))
	}
	file := filepath.Join(t.TempDir(), "receiver.py")
	if err := os.WriteFile(file, []byte(blocks[0].text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, "--data", t.TempDir(), "--webhook-private")
	secret := s.webhook("http://127.0.0.1:1/")
	receiver := exec.CommandContext(t.Context(), python, file, secret, "0")
	receiver.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	receiver.Stderr = os.Stderr
	out, err := receiver.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := receiver.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = receiver.Process.Kill()
		_ = receiver.Wait()
	}()
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the receiver does not listen")
	}
	url := "http://127.0.0.1:" + strings.TrimPrefix(lines.Text(), "listening on ") + "/"
	if status, answer := s.send(http.MethodPatch, "/webhooks/hook", fmt.Sprintf(`{"url":%q}`, url)); status != http.StatusOK {
		t.Fatal(status, answer)
	}
	if status, answer := s.send(http.MethodPost, "/webhooks/hook/test", ""); status != http.StatusOK || at(answer, "delivered") != true {
		t.Fatal(status, answer)
	}
	for n := range 3 {
		s.writeTag(n)
	}
	for n := range 3 {
		if !lines.Scan() || lines.Text() != hookTag(n)+" tagProperties" {
			t.Fatalf("the receiver printed %q", lines.Text())
		}
	}
	s.stop()
}
