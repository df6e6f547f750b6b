package search_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testseed"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// TestSentences: a sentence whose words no entity has together finds the entities with most of
// its words, and the answer names these words.
func TestSentences(t *testing.T) {
	s := catalogtest.NewShop(t)
	tagged := &catalog.Filter{Criteria: []catalog.Criterion{{Field: "tags", Value: "urn:li:tag:Engineering"}}}
	for _, c := range []struct {
		input   string
		filter  *catalog.Filter
		query   string
		without []string
		want    []string
	}{
		{"Which tables contain deleted users?", nil, "/q deleted users", []string{"which", "tables", "contain"}, []string{catalogtest.Deleted}},
		{"where do our customers live, and who says that?", nil, "/q customers live", []string{"says", "where", "do", "our", "and", "who", "that"}, []string{catalogtest.Address}},
		// No entity has two of the words, so entities with one word are found.
		{"deleted elephants customers", nil, "/q deleted OR customers", []string{"elephants"}, []string{catalogtest.Deleted, catalogtest.Address}},
		// Two entities have two words each.
		{"deleted users created", nil, "/q (deleted users) OR (users created)", nil, []string{catalogtest.Created, catalogtest.Deleted}},
		// The filter also applies when entities with words are counted.
		{"customers users with a SLA", tagged, "/q users SLA", []string{"customers", "with", "a"}, []string{catalogtest.Created}},
		{"elephants AND giraffes", nil, "", []string{"and", "elephants", "giraffes"}, []string{}},
		{"which of these?", nil, "", []string{"which", "of", "these"}, []string{}},
		{"elephants", nil, "", []string{"elephants"}, []string{}},
	} {
		found, err := s.Search.Search(context.Background(), search.Request{Types: []string{"dataset"}, Input: c.input, Filter: c.filter, Count: 10, MostWords: true})
		if err != nil || found.MostWords == nil {
			t.Errorf("%s: %+v, %v", c.input, found, err)
			continue
		}
		got := catalogtest.HitURNs(found)
		slices.Sort(got)
		if diff := cmp.Diff(c.want, got); diff != "" || found.Total != len(c.want) {
			t.Errorf("%s: %d in all (-want +got):\n%s", c.input, found.Total, diff)
		}
		if found.MostWords.Query != c.query {
			t.Errorf("%s: the query is %q", c.input, found.MostWords.Query)
		}
		if diff := cmp.Diff(slices.Sorted(slices.Values(c.without)), slices.Sorted(slices.Values(found.MostWords.Without))); diff != "" {
			t.Errorf("%s: words left out (-want +got):\n%s", c.input, diff)
		}
		exact, err := s.Search.Search(context.Background(), search.Request{Types: []string{"dataset"}, Input: c.input, Filter: c.filter, Count: 10})
		if err != nil || exact.Total != 0 || exact.MostWords != nil {
			t.Errorf("%s, all words: %+v, %v", c.input, exact, err)
		}
	}
}

// TestNoSentence: an input that is no sentence, or that finds some entity, is answered without
// leaving out words.
func TestNoSentence(t *testing.T) {
	s := catalogtest.NewShop(t)
	for _, input := range []string{"user new", "*", `"deleted elephants"`, "/q deleted elephants", "tags:Nothing", catalogtest.Dataset("hive", "none", "PROD"), "?!", ""} {
		found, err := s.Search.Search(context.Background(), search.Request{Types: []string{"dataset"}, Input: input, Count: 10, MostWords: true})
		if err != nil || found.MostWords != nil {
			t.Errorf("%q: %+v, %v", input, found, err)
		}
	}
}

// TestLongSentence: only some words of a very long sentence are looked for. The answer names
// the other words, and the query is bounded.
func TestLongSentence(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	words := []string{"alder", "birch", "cedar", "elm", "fir", "hazel", "juniper", "larch"}
	for i, word := range words {
		s.Say(catalogtest.Dataset("hive", fmt.Sprintf("t%d", i), "PROD"), "datasetProperties", fmt.Sprintf(`{"description":"%s %s %s"}`, word, words[(i+1)%len(words)], words[(i+2)%len(words)]))
	}
	s.Await()
	found, err := s.Search.Search(context.Background(), search.Request{Input: strings.Join(words, " "), Count: 10, MostWords: true})
	if err != nil || found.MostWords == nil {
		t.Fatalf("%+v, %v", found, err)
	}
	if diff := cmp.Diff(words[limits.MaxSentenceWords:], found.MostWords.Without); diff != "" {
		t.Error(diff)
	}
	if want := "/q (alder birch cedar) OR (birch cedar elm) OR (cedar elm fir) OR (elm fir hazel)"; found.MostWords.Query != want || found.Total != 4 {
		t.Errorf("%d by %s", found.Total, found.MostWords.Query)
	}
}

// TestMostWordsOfRandomSentences: the search finds, page by page, the entities with the largest
// number of the words that any entity has.
func TestMostWordsOfRandomSentences(t *testing.T) {
	seed := testseed.Of(t)
	random := rand.New(rand.NewPCG(seed, seed))
	s := catalogtest.NewSearchHarness(t)
	vocabulary := []string{"alder", "birch", "cedar", "elm", "fir", "hazel", "juniper", "larch", "mahogany", "oak"}
	texts := map[string][]string{}
	for i := range 25 {
		urn := catalogtest.Dataset("hive", fmt.Sprintf("t%d", i), "PROD")
		for range random.IntN(4) {
			texts[urn] = append(texts[urn], vocabulary[random.IntN(len(vocabulary)-1)]) // the last word, oak, is in no text
		}
		s.Say(urn, "datasetProperties", fmt.Sprintf(`{"description":"%s"}`, strings.Join(texts[urn], " ")))
	}
	s.Await()
	for range testsize.Of(60, 600) {
		words := make([]string, 0, 4)
		for _, at := range random.Perm(len(vocabulary))[:1+random.IntN(4)] {
			words = append(words, vocabulary[at])
		}
		want, most := []string{}, 1
		for urn, text := range texts {
			n := 0
			for _, word := range words {
				if slices.Contains(text, word) {
					n++
				}
			}
			if n > most {
				want, most = nil, n
			}
			if n == most {
				want = append(want, urn)
			}
		}
		got := []string{}
		for {
			found, err := s.Search.Search(context.Background(), search.Request{Input: strings.Join(words, " "), Start: len(got), Count: 3, MostWords: true})
			if err != nil || found.Total != len(want) || (found.MostWords == nil) != (most == len(words) && len(want) > 0) {
				t.Fatalf("seed %d, %v: %+v, want %d: %v", seed, words, found, len(want), err)
			}
			if got = append(got, catalogtest.HitURNs(found)...); len(found.Hits) == 0 {
				break
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d, %v (-want +got):\n%s", seed, words, diff)
		}
	}
}
