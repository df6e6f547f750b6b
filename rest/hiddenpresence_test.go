package rest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
)

// TestPresenceOfHidden: that a visible entity has a value which is hidden is told by no condition, facet or number, on each pair of
// backends. A caller who sees everything finds the entity by each of the conditions.
func TestPresenceOfHidden(t *testing.T) {
	catalogtest.OnEachPair(t, nil, func(t *testing.T, h *catalogtest.SearchHarness) {
		s := serveHidingOn(t, h)
		search := func(input map[string]any) string {
			t.Helper()
			input["types"], input["count"] = []string{"DATASET"}, 20
			if input["query"] == nil {
				input["query"] = "*"
			}
			query := `query($in: SearchAcrossEntitiesInput!) { searchAcrossEntities(input: $in) { total searchResults { entity { urn } } facets { field } } }`
			body, _ := json.Marshal(map[string]any{"query": query, "variables": map[string]any{"in": input}})
			_, answer := s.send(t, hiddenAsk{"presence", http.MethodPost, "/api/graphql", string(body)})
			return answer
		}
		filter := func(field, condition string, values ...string) map[string]any {
			is := map[string]any{"field": field, "condition": condition, "values": append([]string{}, values...)}
			return map[string]any{"orFilters": []any{map[string]any{"and": []any{is}}}}
		}
		// Of the glossary terms, containers and structured properties of visible datasets, all are hidden from piet; of the tags
		// and owners, each dataset has a visible one too.
		for name, c := range map[string]struct {
			input  map[string]any
			is, to string // total for piet, and for somebody who sees everything
		}{
			"has terms":         {filter("hasGlossaryTerms", "EQUAL", "true"), "0", "3"},
			"has no terms":      {filter("hasGlossaryTerms", "EQUAL", "false"), "2", "0"},
			"terms exist":       {filter("glossaryTerms", "EXISTS"), "0", "3"},
			"no terms exist":    {map[string]any{"query": "/q NOT glossaryTerms:*"}, "2", "0"},
			"begins with true":  {filter("hasGlossaryTerms", "START_WITH", "tr"), "0", "3"},
			"has a container":   {filter("hasContainer", "EQUAL", "true"), "0", "3"},
			"a property exists": {filter("structuredProperties.links", "EXISTS"), "0", "3"},
			"has tags":          {filter("hasTags", "EQUAL", "true"), "2", "3"},
			"has owners":        {filter("hasOwners", "EQUAL", "true"), "2", "3"},
			"as a query":        {map[string]any{"query": "/q hasGlossaryTerms:true"}, "0", "3"},
			"as a query, any":   {map[string]any{"query": "/q glossaryTerms:*"}, "0", "3"},
		} {
			want := `"total":` + c.is + `,`
			if answer := search(c.input); !strings.Contains(answer, want) {
				t.Errorf("%s: %.300s, want %s", name, answer, want)
			}
			s.caller = ""
			if answer := search(c.input); !strings.Contains(answer, `"total":`+c.to+`,`) {
				t.Errorf("%s, for somebody who sees everything: %.300s, want a total of %s", name, answer, c.to)
			}
			s.caller = "urn:li:corpuser:piet"
		}
		for name, input := range map[string]map[string]any{
			"a comparison": filter("numActiveIncidents", "GREATER_THAN", "0"),
			"an order":     {"sortInput": map[string]any{"sortCriteria": []any{map[string]any{"field": "numActiveIncidents", "sortOrder": "ASCENDING"}}}},
		} {
			if answer := search(input); !strings.Contains(answer, "counts entities, and some may be hidden from you") {
				t.Errorf("%s by a number: %.300s", name, answer)
			}
		}
	})
}
