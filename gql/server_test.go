package gql_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

const orders = "urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)"

func newHandler(t *testing.T) http.Handler {
	t.Helper()
	c := testcatalog.New(t)
	_, err := c.Ingest(context.Background(), write.Proposal{
		EntityType: "dataset", EntityURN: orders, AspectName: "datasetProperties",
		Aspect: &write.GenericAspect{Value: []byte(`{"description":"Every order"}`), ContentType: "application/json"},
	}, catalog.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return gql.New(gql.Options{Catalog: c})
}

func post(t *testing.T, h http.Handler, body string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/api/graphql", strings.NewReader(body)))
	return w.Code, strings.TrimSpace(w.Body.String())
}

func ask(t *testing.T, h http.Handler, query string, variables any) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		t.Fatal(err)
	}
	status, answer := post(t, h, string(body))
	if status != http.StatusOK {
		t.Errorf("%s: %d", query, status)
	}
	return answer
}

// TestCallerHasGone: a query whose caller has ended it is no failure of the server.
func TestCallerHasGone(t *testing.T) {
	var logged bytes.Buffer
	h := gql.New(gql.Options{Catalog: testcatalog.New(t), Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	for _, c := range []struct {
		name string
		end  func(context.Context) (context.Context, context.CancelFunc)
		want string
		logs bool
	}{
		{"gone", context.WithCancel, "the request was cancelled", false},
		{"slow", func(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithTimeout(ctx, 0) }, "the request took too long", true},
	} {
		logged.Reset()
		ctx, cancel := c.end(t.Context())
		cancel()
		if answer := askAs(ctx, t, h, `{ listTags: searchAcrossEntities(input: {query: "*"}) { total } }`); !strings.Contains(answer, c.want) {
			t.Errorf("%s: the answer is %s", c.name, answer)
		}
		if logs := logged.Len() > 0; logs != c.logs {
			t.Errorf("%s: the log has %q", c.name, logged.String())
		}
	}
}

func TestSearch(t *testing.T) {
	h := newHandler(t)
	for _, c := range []struct {
		query     string
		variables any
		want      string
	}{
		{
			`query q($types: [EntityType!], $orFilters: [AndFilterInput!]) { scrollAcrossEntities(input: {query: "*", types: $types, orFilters: $orFilters, count: 1, searchFlags: {skipAggregates: true}}) { nextScrollId count total searchResults { entity { urn type } } facets { field } } }`,
			map[string]any{"types": nil, "orFilters": []any{map[string]any{"and": []any{}}}, "undeclared": 1},
			`{"data":{"scrollAcrossEntities":{"nextScrollId":null,"count":1,"total":1,"searchResults":[{"entity":{"urn":"` + orders + `","type":"DATASET"}}],"facets":[]}},"extensions":{}}`,
		},
		{
			`{ search(input: {type: DATASET, query: "order"}) { start count total searchResults { entity { __typename ... on Dataset { urn } } matchedFields { name value } } facets { field displayName aggregations { value count entity { urn } } } } }`, nil,
			`{"data":{"search":{"start":0,"count":10,"total":1,"searchResults":[{"entity":{"__typename":"Dataset","urn":"` + orders + `"},"matchedFields":[{"name":"id","value":"shop.orders"},{"name":"description","value":"Every order"},{"name":"urn","value":"` + orders + `"}]}],` +
				`"facets":[{"field":"_entityType","displayName":"Type","aggregations":[{"value":"DATASET","count":1,"entity":null}]},{"field":"platform","displayName":"Platform","aggregations":[{"value":"urn:li:dataPlatform:hive","count":1,"entity":{"urn":"urn:li:dataPlatform:hive"}}]},{"field":"origin","displayName":"Environment","aggregations":[{"value":"PROD","count":1,"entity":null}]}]}},"extensions":{}}`,
		},
		{
			`{ searchAcrossEntities(input: {query: "*", orFilters: [{and: [{field: "_entityType", values: ["CHART"]}]}]}) { total } }`, nil,
			`{"data":{"searchAcrossEntities":{"total":0}},"extensions":{}}`,
		},
		{
			`query q($count: Int!) { scrollAcrossEntities(input: {query: "*", count: $count}) { count } }`,
			map[string]any{"count": 10000},
			`{"data":{"scrollAcrossEntities":{"count":10000}},"extensions":{}}`,
		},
		{
			`{ searchAcrossEntities(input: {query: "*", filters: [{field: "origin", value: "PROD"}]}) { total } }`, nil,
			`{"data":{"searchAcrossEntities":{"total":1}},"extensions":{}}`,
		},
		{
			`{ searchAcrossEntities(input: {query: "*", orFilters: [{and: [{field: "nonsense", values: ["x"]}]}], types: [DATASET]}) { total } }`, nil,
			`{"data":{"searchAcrossEntities":{"total":0}},"extensions":{"warnings":["the field \"nonsense\" is not searchable for dataset; it matches nothing"]}}`,
		},
		{
			`{ scrollAcrossEntities(input: {query: "*", orFilters: [{and: [{field: "orign", values: ["DEV"], negated: true}]}], types: [DATASET], count: 1}) { total } }`, nil,
			`{"data":{"scrollAcrossEntities":{"total":1}},"extensions":{"warnings":["the field \"orign\" is not searchable for dataset (did you mean origin?); it matches nothing"]}}`,
		},
	} {
		if diff := cmp.Diff(c.want, ask(t, h, c.query, c.variables)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.query, diff)
		}
	}
}

// TestEnvelope: the status of a body that is no query is 400. The status of a wrong query is
// 200, with errors. Data and extensions are always present.
func TestEnvelope(t *testing.T) {
	h := newHandler(t)
	for body, want := range map[string]int{
		`{`: 400, `[]`: 400, `{}`: 400, `{"query":""}`: 400,
		`{"query":"{"}`: 200, `{"query":"{nothing}"}`: 200, `{"query":"{__schema{types{name}}}"}`: 200, `{"query":"query a {__typename} query b {__typename}"}`: 200,
		`{"query":"query a {__typename} query b {__typename}","operationName":"b"}`: 200,
		`{"query":"` + strings.Repeat("{a", 9000) + `"}`:                            200,
	} {
		status, text := post(t, h, body)
		var envelope map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text), &envelope); err != nil || status != want || envelope["data"] == nil || string(envelope["extensions"]) != "{}" {
			t.Errorf("%.60s: %d %.200s", body, status, text)
		}
	}
}
