package gql

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// TestMetrics: requests are counted by names of the schema, never by a name that the caller has
// chosen.
func TestMetrics(t *testing.T) {
	registry := prometheus.NewRegistry()
	handler := New(Options{Catalog: testcatalog.New(t), Metrics: registry})
	tag := `tag(urn: "urn:li:tag:a") { urn }`
	for _, query := range []string{
		`query MadeUp1 { ` + tag + ` }`,
		`query MadeUp2 { x: ` + tag + ` y: ` + tag + ` }`,
		`query Spread { ...root } fragment root on Query { ... { ` + tag + ` } }`,
		`{ __typename }`,
		`{ ` + tag + ` __typename }`,
		`{ appConfig { appVersion } ` + tag + ` }`,
		`{ nothing }`,
		`{`,
		`mutation { addTag(input: {tagUrn: "urn:li:tag:a", resourceUrn: "nonsense"}) }`,
	} {
		body, err := json.Marshal(map[string]string{"query": query})
		if err != nil {
			t.Fatal(err)
		}
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/graphql", strings.NewReader(string(body))))
		t.Logf("%s: %.200s", query, answer.Body)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, family := range families {
		if family.GetName() != "headwater_graphql_requests_total" {
			continue
		}
		for _, m := range family.GetMetric() {
			labels := make([]string, 0, 3)
			for _, l := range m.GetLabel() { // the labels are sorted: field, result, type
				labels = append(labels, l.GetValue())
			}
			got[strings.Join(labels, " ")] = m.GetCounter().GetValue()
		}
	}
	want := map[string]float64{
		"addTag errors mutation": 1, "introspection ok query": 1, "none refused none": 2, "several ok query": 2, "tag ok query": 3,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
