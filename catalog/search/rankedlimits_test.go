package search_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/limits"
)

// sayTerms makes glossary terms whose names are the words and a number of a range.
func sayTerms(h *catalogtest.SearchHarness, words string, from, to int) {
	for i := from; i < to; i++ {
		name := fmt.Sprintf("%s %03d", words, i)
		h.Say("urn:li:glossaryTerm:"+strings.ReplaceAll(name, " ", ""), "glossaryTermInfo", fmt.Sprintf(`{"name":%q,"definition":"d","termSource":"INTERNAL"}`, name))
	}
}

func searchTerms(t *testing.T, h *catalogtest.SearchHarness, count int) *search.Result {
	t.Helper()
	found, err := h.Search.Search(context.Background(), search.Request{Types: []string{"glossaryTerm"}, Input: "amber birch cedar", Count: count, AsTyped: true})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestPartialHitsOfAllWords: the limit of entities with most of the words counts the entities of
// all choices of words together.
func TestPartialHitsOfAllWords(t *testing.T) {
	h := catalogtest.NewSearchHarness(t)
	sayTerms(h, "amber birch", 0, limits.MaxPartialHits-1)
	for i, words := range []string{"birch cedar", "amber cedar"} {
		sayTerms(h, words, 0, 1)
		if found := searchTerms(t, h, 1); found.Total != limits.MaxPartialHits {
			t.Errorf("%d entities with two words: %d are found", limits.MaxPartialHits+i, found.Total)
		}
	}
}

// TestOrderOfRankedHits: an owned entity at the end of the index comes first if the index has
// limits.MaxRankedHits entities, and does not if it has one more.
func TestOrderOfRankedHits(t *testing.T) {
	const last = "urn:li:glossaryTerm:z"
	h := catalogtest.NewSearchHarness(t)
	h.Say(last, "glossaryTermInfo", `{"name":"amber birch cedar 999","definition":"d","termSource":"INTERNAL"}`)
	h.Say(last, "ownership", `{"owners":[{"owner":"urn:li:corpuser:ada","type":"TECHNICAL_OWNER"}]}`)
	sayTerms(h, "amber birch cedar", 0, limits.MaxRankedHits-1)
	if found := searchTerms(t, h, 1); found.Hits[0].URN != last {
		t.Errorf("the first of %d is %+v", found.Total, found.Hits[0])
	}
	h.Say("urn:li:glossaryTerm:a", "glossaryTermInfo", `{"name":"amber birch cedar 998","definition":"d","termSource":"INTERNAL"}`)
	found := searchTerms(t, h, limits.MaxRankedHits+1)
	if n := len(found.Hits); n != limits.MaxRankedHits+1 || found.Hits[n-1].URN != last {
		t.Errorf("the last of %d is %+v", n, found.Hits[n-1])
	}
}
