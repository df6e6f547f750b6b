package rest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
)

// inputs are inputs of searches that name the hidden entities, or would find visible entities by the names of hidden ones.
var inputs = []string{
	"zebra", "zebra plain", "plain zebra*", "zerba", "zebras",
	"/q zebra", "/q zebra*", "/q zebra OR nothing", "/q plain -zebra", `/q "zebra"`,
	"/q tags:zebra", "/q tags:zebra*", `/q tag:"zebra tag"`, `/q tags:urn\:li\:tag\:zebra*`, "/q glossaryTerms:zebra*", "/q container:zebra*", "/q owners:zebra*",
	"/q structuredProperties.links:zebra",
}

// wholes are fields with values of visible entities that name hidden ones, parts are pieces of such values, and folded are such values
// in other letters.
var (
	wholes = map[string]string{
		"tags": "urn:li:tag:zebra", "glossaryTerms": "urn:li:glossaryTerm:zebra", "container": "urn:li:container:zebra",
		"owners": "urn:li:corpuser:zebra", "structuredProperties.links": "urn:li:tag:zebra", "browsePathV2": "␟urn:li:container:zebra␟x",
	}
	parts = map[string]string{
		"tags": "zebra", "glossaryTerms": "glossaryTerm:zebra", "container": "zebra", "owners": "zebra", "structuredProperties.links": "zebra",
		"browsePathV2": "container:zebra␟",
	}
	folded = map[string]string{"tags": "urn:li:tag:ZEBRA", "owners": "urn:li:corpuser:ZEBRA", "container": "urn:li:container:ZEBRA"}
)

// hiddenSearches returns searches for the names of hidden entities.
func hiddenSearches() (asks []hiddenAsk) {
	add := func(name, query string, variables map[string]any) {
		body, _ := json.Marshal(map[string]any{"query": query, "variables": variables})
		asks = append(asks, hiddenAsk{name, http.MethodPost, "/api/graphql", string(body)})
	}
	search := `query($in: SearchAcrossEntitiesInput!) { searchAcrossEntities(input: $in) { total searchResults { entity { urn } matchedFields { name value } } facets { field aggregations { value count } } } }`
	for _, input := range inputs {
		add("search "+input, search, map[string]any{"in": map[string]any{"query": input, "count": 20}})
	}
	for _, kind := range []struct {
		values     map[string]string
		conditions []string
	}{
		{wholes, []string{"EQUAL", "IEQUAL", "CONTAIN", "START_WITH", "END_WITH"}}, {parts, []string{"CONTAIN"}}, {folded, []string{"IEQUAL"}},
	} {
		for field, value := range kind.values {
			for _, condition := range kind.conditions {
				for _, negated := range []bool{false, true} {
					is := map[string]any{"field": field, "condition": condition, "values": []string{value}, "negated": negated}
					in := map[string]any{"query": "*", "count": 20, "types": []string{"DATASET"}, "orFilters": []any{map[string]any{"and": []any{is}}}}
					add(strings.Join([]string{"filter", field, condition, value}, " "), search, map[string]any{"in": in})
				}
			}
		}
	}
	add("suggest", `query($in: AutoCompleteMultipleInput!) { autoCompleteForMultiple(input: $in) { suggestions { type suggestions entities { urn } } } }`,
		map[string]any{"in": map[string]any{"query": "zebra", "limit": 10}})
	add("browse", `query($in: BrowseV2Input!) { browseV2(input: $in) { total groups { name count entity { urn } } } }`,
		map[string]any{"in": map[string]any{"type": "DATASET", "path": []string{"urn:li:container:zebra"}, "query": "*", "start": 0, "count": 10}})
	add("browse the root", `query($in: BrowseV2Input!) { browseV2(input: $in) { total groups { name count entity { urn } } } }`,
		map[string]any{"in": map[string]any{"type": "DATASET", "path": []string{}, "query": "zebra", "start": 0, "count": 10}})
	return asks
}

// TestSearchesForHidden: a search, filter or pattern with the name of a hidden entity that visible entities name has the same answer as
// one with a name that nothing has, on each pair of backends. A caller who sees everything gets another answer to each.
func TestSearchesForHidden(t *testing.T) {
	catalogtest.OnEachPair(t, nil, func(t *testing.T, h *catalogtest.SearchHarness) {
		s := serveHidingOn(t, h)
		answers := func(ask hiddenAsk) (of, ofUnknown string) {
			unknown := ask
			unknown.body = strings.NewReplacer("zebra", "zorla", "zerba", "zolra", "ZEBRA", "ZORLA").Replace(ask.body)
			_, of = s.send(t, ask)
			_, ofUnknown = s.send(t, unknown)
			ofUnknown = strings.NewReplacer("zorla", "zebra", "zolra", "zerba", "ZORLA", "ZEBRA").Replace(ofUnknown)
			return apart.ReplaceAllString(of, "0"), apart.ReplaceAllString(ofUnknown, "0")
		}
		for _, ask := range hiddenSearches() {
			if hidden, unknown := answers(ask); hidden != unknown {
				t.Errorf("%s\n%s\nanswers for the hidden  %.600s\nand for an unknown name %.600s", ask.name, ask.body, hidden, unknown)
			}
			s.caller = ""
			if all, unknown := answers(ask); all == unknown {
				t.Errorf("%s judges nothing, it tells nobody anything: %.300s", ask.name, all)
			}
			s.caller = "urn:li:corpuser:piet"
		}
	})
}
