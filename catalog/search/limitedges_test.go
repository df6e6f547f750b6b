package search_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestLimitOfSortKeys: a search may be ordered by as many fields as the limit, and by no more.
func TestLimitOfSortKeys(t *testing.T) {
	h := catalogtest.NewSearchHarness(t)
	for n, want := range map[int]catalog.Code{limits.MaxSortKeys: "", limits.MaxSortKeys + 1: catalog.Invalid} {
		keys := make([]search.SortCriterion, n)
		for i := range keys {
			keys[i].Field = "urn"
		}
		_, err := h.Search.Search(context.Background(), search.Request{Types: []string{"dataset"}, Sort: &keys[0], ThenBy: keys[1:]})
		h.Want(want, err)
	}
}

// TestLimitOfCompletions: a text has at most as many completions as the limit, even if the
// catalog has one more name that continues the text.
func TestLimitOfCompletions(t *testing.T) {
	h := catalogtest.NewSearchHarness(t)
	for n := range limits.MaxCompletions + 1 {
		h.Say(fmt.Sprintf("urn:li:tag:many%03d", n), "tagProperties", fmt.Sprintf(`{"name":"many%03d"}`, n))
		if n < limits.MaxCompletions-1 {
			continue
		}
		for _, text := range []string{"many", "urn:li:tag:many"} {
			found, err := h.Search.Complete(context.Background(), search.CompletionRequest{Text: text})
			if err != nil || len(found) != limits.MaxCompletions {
				t.Errorf("%d names: %q continues in %d ways: %v", n+1, text, len(found), err)
			}
		}
	}
}

// TestLimitOfSentenceParts: the query for most words of a sentence has as many words as the limit. Of
// five words, which entities have two at a time, all ten pairs are in the query; of six words, ten
// of the fifteen pairs.
func TestLimitOfSentenceParts(t *testing.T) {
	words := []string{"amber", "birch", "cedar", "drift", "ember", "flint"}
	h := catalogtest.NewSearchHarness(t)
	for i, first := range words {
		for _, second := range words[i+1:] {
			h.Say("urn:li:tag:"+first+second, "tagProperties", fmt.Sprintf(`{"name":"%s %s"}`, first, second))
		}
	}
	for _, n := range []int{5, 6} {
		found, err := h.Search.Search(context.Background(), search.Request{Types: []string{"tag"}, Input: strings.Join(words[:n], " "), MostWords: true})
		if err != nil {
			t.Fatal(err)
		}
		if pairs := strings.Count(found.MostWords.Query, "("); 2*pairs != limits.MaxSentenceParts || found.Total != pairs {
			t.Errorf("%d words: %d entities are found by %s", n, found.Total, found.MostWords.Query)
		}
	}
}
