package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

func TestHealthVerb(t *testing.T) {
	url := newServer(t, nil)
	if out := must(t, cli.ExitOK, "health", "--server", url); !strings.Contains(out, "graph    ok\n") {
		t.Errorf("ready: %q", out)
	}
	var answer struct{ Ready bool }
	if out := must(t, cli.ExitOK, "health", "--server", url, "-o", "json"); json.Unmarshal([]byte(out), &answer) != nil || !answer.Ready {
		t.Errorf("ready, as JSON: %q", out)
	}
	must(t, cli.ExitOK, "health", "--live", "--server", url)
	must(t, cli.ExitUnreachable, "health", "--server", "http://127.0.0.1:1")

	broken := newServer(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/health/ready" {
			return false
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(`{"ready":false,"backends":{"graph":{"status":"down","error":"no connection"}}}`))
		return true
	})
	if out := must(t, cli.ExitFailure, "health", "--server", broken); !strings.Contains(out, "not ready") || !strings.Contains(out, "no connection") {
		t.Errorf("a backend is down: %q", out)
	}
	must(t, cli.ExitOK, "health", "--live", "--server", broken)
}
