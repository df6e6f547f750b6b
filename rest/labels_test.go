package rest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/gql/graphiql"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/storewrap"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/indexer/indexwrap"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// spanNames records the names of spans.
type spanNames struct {
	mu    sync.Mutex
	names map[string]bool
}

func (s *spanNames) OnStart(_ context.Context, span sdktrace.ReadWriteSpan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[span.Name()] = true
}

func (s *spanNames) OnEnd(sdktrace.ReadOnlySpan) {}

func (s *spanNames) Shutdown(context.Context) error { return nil }

func (s *spanNames) ForceFlush(context.Context) error { return nil }

func (s *spanNames) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.names)
}

// series returns the number of time series that a registry exports.
func series(t *testing.T, registry *prometheus.Registry) int {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range families {
		n += len(f.GetMetric())
	}
	return n
}

// TestLabels: no text that callers choose becomes a label of a series or the name of a
// span.
func TestLabels(t *testing.T) {
	spans := &spanNames{names: map[string]bool{}}
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	registry := prometheus.NewRegistry()
	c := observedCatalog(t, registry, provider)
	h := New(Options{
		Catalog: c, GraphQL: gql.New(gql.Options{Catalog: c}), GraphiQL: graphiql.Handler("/api/graphiql"),
		Registry: registry, Gatherer: registry, Tracing: provider,
	})
	inventions := func(i int) []*http.Request {
		graphQL := func(body string) *http.Request {
			return httptest.NewRequest(http.MethodPost, "/api/graphql", strings.NewReader(body))
		}
		requests := []*http.Request{
			httptest.NewRequest(fmt.Sprintf("METHOD%d", i), "/entities", http.NoBody),
			httptest.NewRequest(fmt.Sprintf("METHOD%d", i), fmt.Sprintf("/nothing%d", i), http.NoBody),
			httptest.NewRequest(http.MethodGet, fmt.Sprintf("/nothing%d", i), http.NoBody),
			httptest.NewRequest(http.MethodGet, fmt.Sprintf("/docs/%d", i), http.NoBody),
			httptest.NewRequest(http.MethodGet, fmt.Sprintf("/api/graphiql/%d", i), http.NoBody),
			httptest.NewRequest(http.MethodGet, fmt.Sprintf("/entities/%d", i), http.NoBody),
			httptest.NewRequest(http.MethodGet, fmt.Sprintf("/entities/urn%%3Ali%%3Atag%%3A%d", i), http.NoBody),
			httptest.NewRequest(http.MethodGet, fmt.Sprintf("/aspects/urn%%3Ali%%3Atag%%3A%d?aspect=a%d&version=0", i, i), http.NoBody),
			httptest.NewRequest(http.MethodGet, fmt.Sprintf("/relationships?direction=d%d&types=t%d&urn=urn:li:tag:x", i, i), http.NoBody),
			httptest.NewRequest(http.MethodPost, fmt.Sprintf("/entities?action=invented%d", i), strings.NewReader("{}")),
			httptest.NewRequest(http.MethodPost, fmt.Sprintf("/entities?action=search&action=invented%d", i), strings.NewReader(fmt.Sprintf(`{"input":"w%d","entity":"dataset","start":0,"count":1,"facets":["f%d"]}`, i, i))),
			graphQL(fmt.Sprintf(`{"query":"query name%d { alias%d: entityExists(urn: \"urn:li:tag:%d\") }","operationName":"name%d"}`, i, i, i, i)),
			graphQL(fmt.Sprintf(`{"query":"{ field%d }"}`, i)),
		}
		requests[0].Header.Set("User-Agent", fmt.Sprint(i))
		requests[2].Host = fmt.Sprintf("host%d", i)
		return requests
	}
	serve := func(i int) {
		for _, r := range inventions(i) {
			r.Header.Set("X-RestLi-Protocol-Version", "2.0.0")
			h.ServeHTTP(httptest.NewRecorder(), r)
		}
	}
	serve(0)
	before, spansBefore := series(t, registry), spans.count()
	if before < 20 || spansBefore < 10 {
		t.Fatalf("%d series, %d names of spans: the test looks at the wrong thing", before, spansBefore)
	}
	for i := range 300 {
		serve(i + 1)
	}
	if after := series(t, registry); after != before {
		t.Errorf("%d series have become %d", before, after)
	}
	if after := spans.count(); after != spansBefore {
		t.Errorf("%d names of spans have become %d", spansBefore, after)
	}
}

// observedCatalog returns an empty catalog whose store and index are observed.
func observedCatalog(t *testing.T, registry *prometheus.Registry, provider *sdktrace.TracerProvider) *services.Services {
	t.Helper()
	return testcatalog.WrappedBoth(t,
		func(s graphstore.Store) graphstore.Store {
			return storewrap.New(s, storewrap.Options{Metrics: registry, Tracing: provider})
		},
		func(x indexer.Index) indexer.Index {
			return indexwrap.New(x, indexwrap.Options{Metrics: registry, Tracing: provider})
		})
}
