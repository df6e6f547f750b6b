package gql_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// TestEntitiesWithin: the searches within the items of a page run together. Each search answers
// for its own item, with the arguments of its own field.
func TestEntitiesWithin(t *testing.T) {
	c := testcatalog.New(t)
	dataset := func(n int) string {
		return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,within%d,PROD)", n)
	}
	for n := range 6 {
		writeAspect(t, c, dataset(n), "datasetProperties", fmt.Sprintf(`{"name":"within%d"}`, n))
		writeAspect(t, c, dataset(n), "domains", fmt.Sprintf(`{"domains":["urn:li:domain:d%d"]}`, n%2))
		writeAspect(t, c, dataset(n), "container", fmt.Sprintf(`{"container":"urn:li:container:c%d"}`, n%3))
	}
	for n, assets := range []string{"", `{"destinationUrn":"` + dataset(1) + `"},{"destinationUrn":"` + dataset(2) + `"}`} {
		writeAspect(t, c, fmt.Sprintf("urn:li:dataProduct:p%d", n), "dataProductProperties", `{"name":"P","assets":[`+assets+`]}`)
	}
	h := gql.New(gql.Options{Catalog: c})
	for _, one := range []struct{ query, want string }{
		{
			`{ entities(urns: ["urn:li:domain:d0", "urn:li:container:c1", "urn:li:domain:d1", "urn:li:domain:none"]) { urn
				... on Domain { d: entities(input: {count: 2}) { count total searchResults { entity { urn } } } one: entities(input: {query: "within3"}) { total } }
				... on Container { c: entities(input: {start: 1, count: 1}) { start total searchResults { entity { ... on Dataset { name } } } facets { field } } } } }`,
			`{"data":{"entities":[` +
				`{"urn":"urn:li:domain:d0","d":{"count":2,"total":3,"searchResults":[{"entity":{"urn":"` + dataset(0) + `"}},{"entity":{"urn":"` + dataset(2) + `"}}]},"one":{"total":0}},` +
				`{"urn":"urn:li:container:c1","c":{"start":1,"total":2,"searchResults":[{"entity":{"name":"within4"}}],"facets":[FACETS]}},` +
				`{"urn":"urn:li:domain:d1","d":{"count":2,"total":3,"searchResults":[{"entity":{"urn":"` + dataset(1) + `"}},{"entity":{"urn":"` + dataset(3) + `"}}]},"one":{"total":1}},` +
				`{"urn":"urn:li:domain:none","d":{"count":2,"total":0,"searchResults":[]},"one":{"total":0}}]},"extensions":{}}`,
		},
		{
			`{ entities(urns: ["urn:li:dataProduct:p0", "urn:li:dataProduct:p1", "urn:li:dataProduct:none"]) { ... on DataProduct {
				all: entities { total } one: entities(input: {query: "within1"}) { total } filtered: entities(input: {query: "*", filters: [{field: "domains", values: ["urn:li:domain:d0"]}]}) { searchResults { entity { urn } } } } } }`,
			`{"data":{"entities":[{"all":{"total":0},"one":{"total":0},"filtered":{"searchResults":[]}},` +
				`{"all":{"total":2},"one":{"total":1},"filtered":{"searchResults":[{"entity":{"urn":"` + dataset(2) + `"}}]}},` +
				`{"all":{"total":0},"one":{"total":0},"filtered":{"searchResults":[]}}]},"extensions":{}}`,
		},
	} {
		before, after, facets := strings.Cut(one.want, "FACETS")
		answer := ask(t, h, one.query, nil)
		if !strings.HasPrefix(answer, before) || !strings.HasSuffix(answer, after) || facets && !strings.Contains(answer, `{"field":"platform"}`) {
			t.Errorf("got  %s\nwant %s", answer, one.want)
		}
	}
	answer := ask(t, h, `{ entities(urns: ["urn:li:domain:d0", "urn:li:domain:d1"]) { ... on Domain { entities(input: {count: -1}) { total } } } }`, nil)
	if strings.Count(answer, `"code":400`) != 2 || !strings.Contains(answer, "must not be negative") {
		t.Errorf("a negative count: %s", answer)
	}
}

// TestSearchesWithinAreBounded: a place of a query with as many entities as the limit is
// searched, and a place with one more is refused.
func TestSearchesWithinAreBounded(t *testing.T) {
	h := gql.New(gql.Options{Catalog: testcatalog.New(t)})
	urns := make([]string, limits.MaxGraphQLSearches+1)
	for i := range urns {
		urns[i] = fmt.Sprintf("urn:li:domain:d%d", i)
	}
	query := `query q($urns: [String!]!) { entities(urns: $urns) { ... on Domain { entities(input: {query: "x"}) { total } } } }`
	if answer := ask(t, h, query, map[string]any{"urns": urns[1:]}); strings.Contains(answer, "errors") || strings.Count(answer, `"total":0`) != limits.MaxGraphQLSearches {
		t.Errorf("%.300s", answer)
	}
	var refused struct {
		Errors []struct {
			Message    string
			Extensions struct{ Code int }
		}
	}
	answer := ask(t, h, query, map[string]any{"urns": urns})
	if err := json.Unmarshal([]byte(answer), &refused); err != nil || len(refused.Errors) == 0 || refused.Errors[0].Extensions.Code != 400 || !strings.Contains(refused.Errors[0].Message, "at most 1000") {
		t.Errorf("%.300s, %v", answer, err)
	}
}
