package search

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/querytext"
)

// MostWords describes the answer to a search whose words no entity has together.
type MostWords struct {
	// Query is the structured query that was answered instead, "" if no entity has any of the
	// words.
	Query string
	// Words are the words of the input that are in Query, Without the words that are not.
	Words, Without []string
}

// common are words of sentences that tell nothing about the wanted entities, as tokens.
var common = func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(`
		a about all also am an and any are as at be been but by can could did do does each every find for from get give had has
		have having he her hers him his how i if in into is it its list me might most my no not of on or our out over please
		shall she should show some tell than that the their them then there these they this those to too us use used uses
		using want was we were what when where which who whom whose why will with without would you your
		contain contains containing exist exists hold holds include includes including
		catalog column columns data dataset datasets entity entities field fields information table tables thing things`) {
		for _, token := range indexer.Tokens(word) {
			words[token] = true
		}
	}
	return words
}()

// sentenceWords splits an input into the words that describe the wanted entities, at most
// limits.MaxSentenceWords, and the other words.
func sentenceWords(input string) (words, without []string) {
	var plain []string
	for word := range strings.FieldsFuncSeq(input, notInWord) {
		word = strings.Trim(word, "._")
		tokens, small := indexer.Tokens(word), strings.ToLower(word)
		switch {
		case len(tokens) == 0 || slices.Contains(words, word) || slices.Contains(without, word) || slices.Contains(plain, small):
		case !slices.ContainsFunc(tokens, func(token string) bool { return len(token) > 1 && !common[token] }):
			plain = append(plain, small) // words in capital letters could be the operators AND, OR and NOT
		case len(words) < limits.MaxSentenceWords:
			words = append(words, word)
		default:
			without = append(without, word)
		}
	}
	if len(words) == 0 {
		n := min(len(plain), limits.MaxSentenceWords)
		return plain[:n], plain[n:]
	}
	return words, append(without, plain...)
}

// notInWord reports whether a letter stands between the words of a sentence.
func notInWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) && r != '_' && r != '.'
}

// isSentence reports whether an input is plain words, so that all of them are searched for.
func (in *searchInput) isSentence(text string) bool {
	return !querytext.IsStructured(text) && in.exact == nil && in.text.Prefix
}

// searchMost answers a search whose words no entity has together. searchMost returns the
// entities that have the largest number of these words that any entity has. searchMost leaves
// out words that only join the other words to a sentence. The result follows from conditions on
// words alone, so every index gives the same result.
func (s *Service) searchMost(ctx context.Context, r Request) (*Result, error) {
	words, without := sentenceWords(r.Input)
	most := &MostWords{Without: without}
	alone, err := s.having(ctx, &r, subsets(len(words), 1), words)
	if err != nil {
		return nil, err
	}
	var known []string
	for i, word := range words {
		if slices.ContainsFunc(alone, func(set []int) bool { return set[0] == i }) {
			known = append(known, word)
		} else {
			most.Without = append(most.Without, word)
		}
	}
	if len(known) == 0 {
		return &Result{Start: r.Start, Hits: []Hit{}, MostWords: most}, nil
	}
	sets := subsets(len(known), 1)
	for n := len(known); n > 1; n-- {
		found, err := s.having(ctx, &r, subsets(len(known), n), known)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			sets = found[:min(len(found), limits.MaxSentenceParts/n)]
			break
		}
	}
	for i, word := range known {
		if slices.ContainsFunc(sets, func(set []int) bool { return slices.Contains(set, i) }) {
			most.Words = append(most.Words, word)
		} else {
			most.Without = append(most.Without, word)
		}
	}
	most.Query = alternatives(sets, known)
	r.Input, r.MostWords = most.Query, false
	found, err := s.Search(ctx, r)
	if err != nil {
		return nil, err
	}
	found.MostWords = most
	return found, nil
}

// having returns the sets of words for which some entity has all words of the set.
func (s *Service) having(ctx context.Context, r *Request, sets [][]int, words []string) ([][]int, error) {
	requests := make([]Request, len(sets))
	for i, set := range sets {
		requests[i] = *r
		one := &requests[i]
		one.Input, one.MostWords, one.Sort, one.ThenBy = alternatives([][]int{set}, words), false, nil, nil
		one.Start, one.Count, one.WithoutMatches, one.Facets = 0, 1, true, []string{}
	}
	answers, err := s.SearchMany(ctx, requests)
	if err != nil {
		return nil, err
	}
	var found [][]int
	for i := range answers {
		if answers[i].Err != nil {
			return nil, answers[i].Err
		}
		if answers[i].Result.Total > 0 {
			found = append(found, sets[i])
		}
	}
	return found, nil
}

// alternatives returns the structured query for entities that have all words of at least one
// set.
func alternatives(sets [][]int, words []string) string {
	parts := make([]string, len(sets))
	for i, set := range sets {
		some := make([]string, len(set))
		for k, at := range set {
			some[k] = words[at]
		}
		if parts[i] = strings.Join(some, " "); len(sets) > 1 && len(set) > 1 {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	return "/q " + strings.Join(parts, " OR ")
}

// subsets lists all sets of a size of the numbers below n, in lexical order.
func subsets(n, size int) [][]int {
	if size == 0 {
		return [][]int{{}}
	}
	var sets [][]int
	for _, set := range subsets(n, size-1) {
		next := 0
		if len(set) > 0 {
			next = set[len(set)-1] + 1
		}
		for ; next < n; next++ {
			sets = append(sets, append(slices.Clone(set), next))
		}
	}
	return sets
}
