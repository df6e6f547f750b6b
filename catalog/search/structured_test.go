package search_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestOrderOfAlternatives: an entity that has a word of an alternative in its name comes before
// one that has the word in another field. An entity with more of the words comes first.
func TestOrderOfAlternatives(t *testing.T) {
	s := catalogtest.NewShop(t)
	for input, want := range map[string][]string{
		"/q customer OR left":                   {catalogtest.Address, catalogtest.Deleted},
		"/q left OR created":                    {catalogtest.Created, catalogtest.Deleted},
		"/q left OR cre*":                       {catalogtest.Created, catalogtest.Deleted},
		"/q (left OR fct) -customer":            {catalogtest.Deleted, catalogtest.Created},
		"/q name:fct AND (NOT left OR created)": {catalogtest.Created},
	} {
		found, err := s.Search.Search(context.Background(), search.Request{Types: []string{"dataset"}, Input: input, Count: 10})
		if err != nil {
			t.Errorf("%s: %v", input, err)
			continue
		}
		var urns []string
		for _, hit := range found.Hits {
			urns = append(urns, hit.URN)
		}
		if diff := cmp.Diff(want, urns); diff != "" {
			t.Errorf("%s (-want +found):\n%s", input, diff)
		}
	}
}

// TestStructuredLimits: a query of any size is answered or refused. The error names the limit
// that the query exceeds.
func TestStructuredLimits(t *testing.T) {
	s := catalogtest.NewShop(t)
	for input, want := range map[string]string{
		"/q " + strings.Repeat("a ", limits.MaxQueryTerms):                                     "",
		"/q " + strings.Repeat("a ", limits.MaxQueryTerms+1):                                   "more than 100 terms",
		"/q " + strings.Repeat("a.b.c ", limits.MaxQueryTerms):                                 "300 words in one request, at most 200",
		`/q "` + strings.Repeat("a ", limits.MaxQueryWords+1) + `"`:                            "201 words in one request, at most 200",
		"/q -(" + strings.Repeat("a* OR name:b OR ", limits.MaxQueryTerms/2-1) + `"a b" OR c)`: "",
		"/q " + strings.Repeat("(", limits.MaxQueryNesting) + "a" + strings.Repeat(")", 20):    "",
		"/q " + strings.Repeat("(", limits.MaxQueryNesting+1) + "a":                            "nested more than 20 levels deep",
		"/q " + strings.Repeat("a", limits.MaxQueryBytes):                                      "at most 10000 are allowed",
	} {
		_, err := s.Search.Search(context.Background(), search.Request{Input: input, Count: 1})
		switch {
		case want == "" && err != nil:
			t.Errorf("%.40s…: %v", input, err)
		case want != "" && (catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(err.Error(), want)):
			t.Errorf("%.40s…: %v, want …%s…", input, err, want)
		}
	}
}

// TestNameOfManyFields: a name that several kinds of entities have stands for all of them.
func TestNameOfManyFields(t *testing.T) {
	s := catalogtest.NewShop(t)
	put := func(urn, aspect, value string) {
		t.Helper()
		s.Attempt("", write.Proposal{EntityType: strings.Split(urn, ":")[2], EntityURN: urn, AspectName: aspect, Aspect: &write.GenericAspect{Value: []byte(value), ContentType: "application/json"}})
	}
	put("urn:li:corpuser:x1", "corpUserInfo", `{"active":true,"displayName":"Shop Team","email":"x@example.com"}`)
	put("urn:li:corpGroup:x2", "corpGroupInfo", `{"displayName":"shop team","email":"y@example.com","admins":[],"members":[],"groups":[]}`)
	put(catalogtest.Address, "ownership", `{"owners":[{"owner":"urn:li:corpGroup:x2","type":"DATAOWNER"}],"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}}`)
	put(catalogtest.Deleted, "ownership", `{"owners":[{"owner":"urn:li:corpuser:x1","type":"DATAOWNER"}],"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}}`)
	for input, want := range map[string]int{`/q owner:"Shop Team"`: 2, `/q owner:"Shop Team" OR owner:"Ada Wren"`: 3, "/q owner:x2": 1, "/q owner:x*": 2, `/q owner:"Shop"`: 0} {
		found, err := s.Search.Search(context.Background(), search.Request{Types: []string{"dataset"}, Input: input, Count: 10})
		if err != nil || found.Total != want {
			t.Errorf("%s finds %d, want %d: %v", input, found.Total, want, err)
		}
	}
}
