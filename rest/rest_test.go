package rest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/access/manage"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/kafka/form"
	"github.com/headwater-io/headwater/rest/access"
	"github.com/headwater-io/headwater/rest/call"
	"github.com/headwater-io/headwater/rest/ingestion"
	"github.com/headwater-io/headwater/web"
)

// restliException is the class of every error outside /openapi.
const restliException = "com.linkedin.restli.server.RestLiServiceException"

// newServer serves a new catalog on the embedded store.
func newServer(t testing.TB) *httptest.Server {
	t.Helper()
	return newServerOf(t, testcatalog.New(t))
}

// newServerOf serves a catalog.
func newServerOf(t testing.TB, c *services.Services, policies ...*manage.Service) *httptest.Server {
	t.Helper()
	page, err := web.New()
	if err != nil {
		t.Fatal(err)
	}
	registry := prometheus.NewRegistry()
	closing, closeNow := context.WithCancel(context.Background())
	o := Options{
		Catalog: c, Version: "test", MaxBodyBytes: 20 << 20, KafkaForm: form.Text,
		Registry: registry, Gatherer: registry, Closing: closing, Page: page, Audit: testcatalog.NewTrail(t, time.Now),
	}
	if len(policies) > 0 {
		o.Policies = policies[0]
	}
	server := httptest.NewServer(New(o))
	t.Cleanup(func() {
		closeNow()
		server.Close()
	})
	return server
}

// request sends a request and returns the status, the body and the headers of the answer.
func request(t testing.TB, server *httptest.Server, method, target, body string, headers ...string) (int, string, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, server.URL+target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if len(headers) == 0 {
		headers = []string{"X-RestLi-Protocol-Version", "2.0.0", "Content-Type", "application/json"}
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text), resp.Header
}

// TestExamplesRun sends every example of the documentation, in its order, to an
// empty server.
func TestExamplesRun(t *testing.T) {
	c, policies := testcatalog.WithPolicies(t, nil)
	server := newServerOf(t, c, policies)
	request(t, server, "POST", "/aspects?action=ingestProposal", proposalBody("tag", "urn:li:tag:x", "status", `{"removed":false}`))
	ctx, stop := context.WithCancel(t.Context())
	err := c.Delivery.Run(ctx, delivery.Worker{Name: "kafka", Deliver: func(context.Context, []catalog.Change) error {
		stop() // the change log has a follower now, for the example about followers
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{}
	s.endpoints = slices.DeleteFunc(s.allEndpoints(), func(e call.Endpoint) bool { // these examples need an index, people who sign in, or the lease of a run
		return e.Tag == "Search" || e.Tag == "Browse" || e.Path == "/index" || e.Tag == access.Tag || strings.HasPrefix(e.Path, ingestion.Path) && e.Path != ingestion.Path+"/claim"
	})
	for i := range s.endpoints {
		e := &s.endpoints[i]
		t.Run(e.Method+" "+e.Path+" "+e.Action, func(t *testing.T) {
			if e.Action != "" && !json.Valid([]byte(e.Example.Body)) {
				t.Errorf("the example's body is not JSON: %s", e.Example.Body)
			}
			status, body, _ := request(t, server, e.Method, e.Target(), e.Example.Body)
			if status != e.Success() {
				t.Errorf("%s answers %d: %s", e.Target(), status, body)
			}
		})
	}
}
