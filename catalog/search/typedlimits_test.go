package search_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestLimitsOfTypedHits: up to the limit of entities with all words, entities with most of the words follow, as
// many as their own limit.
func TestLimitsOfTypedHits(t *testing.T) {
	h := catalogtest.NewSearchHarness(t)
	total := func(all, want int) {
		t.Helper()
		if found := searchTerms(t, h, 1); found.Typed.All != all || found.Total != want {
			t.Errorf("%+v, want %d with all words of %d", found, all, want)
		}
	}
	const partial, ranked = limits.MaxPartialHits, limits.MaxRankedHits
	sayTerms(h, "amber birch cedar", 0, 1)
	sayTerms(h, "amber birch", 0, partial)
	total(1, 1+partial)
	sayTerms(h, "amber birch", partial, partial+1)
	total(1, 1+partial)
	sayTerms(h, "amber birch cedar", 1, ranked)
	total(ranked, ranked+partial)
	sayTerms(h, "amber birch cedar", ranked, ranked+1)
	total(ranked+1, ranked+1)
}

// TestLimitOfKindNames: the names of as many sub types as the limit count as words, and not the next one, which is
// the last by name.
func TestLimitOfKindNames(t *testing.T) {
	h := catalogtest.NewSearchHarness(t)
	for i := range limits.MaxKindNames + 1 {
		urn := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,t%03d,PROD)", i)
		h.Say(urn, "datasetProperties", `{"name":"t"}`)
		h.Say(urn, "subTypes", fmt.Sprintf(`{"typeNames":["kind%03d"]}`, i))
	}
	for i, want := range map[int]int{limits.MaxKindNames - 1: 1, limits.MaxKindNames: 0} {
		found, err := h.Search.Search(context.Background(), search.Request{Types: []string{"dataset"}, Input: fmt.Sprintf("kind%03d", i), Count: 1, AsTyped: true})
		if err != nil || len(found.Typed.Kinds) != want {
			t.Errorf("sub type %d: %+v %v", i, found.Typed, err)
		}
	}
}
