package rest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/shares"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestShares: a caller with too many requests is refused as clients understand it, and others are
// not.
func TestShares(t *testing.T) {
	g := newKnowing(t)
	ada, _ := g.token(t, "ada")
	ben, _ := g.token(t, "ben")
	of := shares.New(shares.Options{Rate: 1, Now: time.Now})
	o := g.rest.Options
	o.Registry, o.Gatherer, o.Shares = nil, nil, of
	server := httptest.NewServer(New(o))
	defer server.Close()
	get := func(token string) (int, string, http.Header) {
		return request(t, server, http.MethodGet, "/entitiesV2/urn%3Ali%3Atag%3Ax", "", "Authorization", "Bearer "+token, "X-RestLi-Protocol-Version", "2.0.0")
	}
	if status, body, _ := get(ada); status != http.StatusOK {
		t.Fatalf("the first request: %d %s", status, body)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan struct{})
	go func() { // these requests wait for the rate, so that a further one would wait for too long
		defer close(done)
		for range limits.CallerWait / time.Second {
			go of.Enter(ctx, "urn:li:corpuser:ada") //nolint:errcheck // the request waits until the test ends
		}
	}()
	<-done
	var status int
	var body string
	var header http.Header
	for status != http.StatusTooManyRequests {
		status, body, header = get(ada)
	}
	if header.Get("Retry-After") == "" || !strings.Contains(body, "--caller-rate") || !strings.Contains(body, "exceptionClass") {
		t.Errorf("refused with %s, Retry-After %q", body, header.Get("Retry-After"))
	}
	if status, body, _ := get(ben); status != http.StatusOK {
		t.Errorf("another caller: %d %s", status, body)
	}
	if status, body, _ := request(t, server, http.MethodGet, "/health", ""); status != http.StatusOK {
		t.Errorf("health: %d %s", status, body)
	}
}
