package search

import (
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
)

// TypedWords tells how a search as people type read its input.
type TypedWords struct {
	// Words are the searched words, Kinds the words among them that name types, sub types or
	// platforms, and Without the words that were left out.
	Words, Kinds, Without []string
	// All counts the found entities that have all words. The other found entities have most of the
	// words, and come after these.
	All int
}

// typedWord is a word of an input.
type typedWord struct {
	text   string
	tokens []string
	// kinds holds for the entities of which the word is the type, sub type or platform; nil if the
	// word is no such name.
	kinds indexer.Or
	// prefix tells that the word may be the beginning of a longer one.
	prefix bool
}

// holds is the condition that an entity has the word in a text or as its kind.
func (w *typedWord) holds() indexer.Expr {
	return append(indexer.Or{indexer.Words{Tokens: w.tokens, Prefix: w.prefix}}, w.kinds...)
}

// typedSearch is a search as people type. The way of it:
//
//  1. The words of the input are read; words for types, sub types and platforms count as such.
//  2. The best entities with all words are read from the index: limits.MaxRankedHits of them.
//  3. If there are fewer, the entities with most of the words follow, at most
//     limits.MaxPartialHits: those that lack one word, then two, while more than half remain. If
//     nothing has so many words, the entities with the most words that any has are found.
//  4. These entities are ordered here, so that every index gives the same order.
//  5. The page is taken from them. Further entities with all words come in the index's own order.
type typedSearch struct {
	*Service
	request Request
	scope   *searchScope
	words   []typedWord
	// text has all words, for the order of the hits and for the matched fields of their report.
	text indexer.Text
	said *TypedWords
	// typos lets an index correct the words that are no kinds.
	typos bool
	all   int
	found []rankedHit
}

func (s *Service) searchTyped(ctx context.Context, scope *searchScope, r Request, input *searchInput) (*Result, error) {
	t := &typedSearch{Service: s, request: r, scope: scope, said: &TypedWords{}, typos: input.text.Typos}
	if err := t.read(ctx); err != nil {
		return nil, err
	}
	if err := t.findAll(ctx); err != nil {
		return nil, err
	}
	if err := t.findMost(ctx); err != nil {
		return nil, err
	}
	t.order()
	return t.page(ctx)
}

// read splits the input into words.
func (t *typedSearch) read(ctx context.Context) error {
	names, err := t.kindNames(ctx)
	if err != nil {
		return err
	}
	var plain []typedWord
	seen := map[string]bool{}
	for word := range strings.FieldsFuncSeq(t.request.Input, notInWord) {
		word = strings.Trim(word, "._")
		tokens := indexer.Tokens(word)
		key := strings.Join(tokens, " ")
		if len(tokens) == 0 || seen[key] {
			continue
		}
		seen[key] = true
		w := typedWord{text: word, tokens: tokens, kinds: names.of(tokens)}
		switch {
		case w.kinds == nil && !slices.ContainsFunc(tokens, func(token string) bool { return len(token) > 1 && !common[token] }):
			plain = append(plain, w)
		case len(t.words) < limits.MaxSentenceWords:
			t.words = append(t.words, w)
		default:
			t.said.Without = append(t.said.Without, word)
		}
	}
	if len(t.words) == 0 {
		n := min(len(plain), limits.MaxSentenceWords)
		t.words, plain = plain[:n], plain[n:]
	}
	for i := range plain {
		t.said.Without = append(t.said.Without, plain[i].text)
	}
	for i := range t.words {
		w := &t.words[i]
		w.prefix = i == len(t.words)-1 && strings.HasSuffix(strings.TrimRight(t.request.Input, " "), w.text)
		t.text.Tokens, t.text.Prefix = append(t.text.Tokens, w.tokens...), w.prefix
		t.said.Words = append(t.said.Words, w.text)
		if w.kinds != nil {
			t.said.Kinds = append(t.said.Kinds, w.text)
		}
	}
	return nil
}

// query makes the query for the entities that have some of the words.
func (t *typedSearch) query(some []int, size int) (indexer.Query, error) {
	input := searchInput{text: indexer.Text{Typos: t.typos}}
	var kinds indexer.And
	for _, i := range some {
		w := &t.words[i]
		if w.kinds != nil {
			kinds = append(kinds, w.holds())
			for _, token := range w.tokens {
				input.text.Also = append(input.text.Also, indexer.Word{Token: token})
			}
			continue
		}
		input.text.Tokens = append(input.text.Tokens, w.tokens...)
		input.text.Prefix = w.prefix
	}
	if len(some) < len(t.words) {
		input.text.Typos = false
	}
	input.text.Name = strings.Join(input.text.Tokens, " ")
	if len(kinds) > 0 {
		input.exact = kinds
	}
	one := t.request
	one.Start, one.Count, one.Facets, one.Sort, one.ThenBy, one.Named = 0, size, []string{}, nil, nil, true
	prepared, err := t.scope.prepare(&one, input)
	if err != nil {
		return indexer.Query{}, err
	}
	return prepared.query, nil
}

// findAll finds the entities that have all words.
func (t *typedSearch) findAll(ctx context.Context) error {
	q, err := t.query(upTo(len(t.words)), limits.MaxRankedHits)
	if err != nil {
		return err
	}
	found, err := t.searchExisting(ctx, &q)
	if err != nil {
		return err
	}
	t.all, t.said.All = found.Total, found.Total
	for i := range found.Hits {
		t.found = append(t.found, t.rank(&found.Hits[i], true))
	}
	return nil
}

// findMost finds the entities that have most of the words.
func (t *typedSearch) findMost(ctx context.Context) error {
	if t.all > limits.MaxRankedHits {
		return nil
	}
	known := map[string]bool{}
	for i := range t.found {
		known[t.found[i].URN] = true
	}
	left := limits.MaxPartialHits
	for n := len(t.words) - 1; n > 0 && left > 0; n-- {
		if n <= len(t.words)/2 && len(t.found) > 0 {
			return nil
		}
		var queries []*indexer.Query
		for _, some := range subsets(len(t.words), n) {
			q, err := t.query(some, limits.MaxPartialHits)
			if err != nil {
				return err
			}
			queries = append(queries, &q)
		}
		answers, err := t.findMany(ctx, queries)
		if err != nil {
			return err
		}
		var level []rankedHit
		for i := range answers {
			if answers[i].Err != nil {
				return follower.Failure(answers[i].Err)
			}
			for k := range answers[i].Result.Hits {
				hit := &answers[i].Result.Hits[k]
				if !known[hit.URN] {
					known[hit.URN] = true
					level = append(level, t.rank(hit, false))
				}
			}
		}
		slices.SortFunc(level, compareRanked)
		level = level[:min(left, len(level))]
		left -= len(level)
		t.found = append(t.found, level...)
	}
	return nil
}

// page returns the page of the request, with the facets of all entities found.
func (t *typedSearch) page(ctx context.Context) (*Result, error) {
	q, err := t.wholeQuery()
	if err != nil {
		return nil, err
	}
	result := &Result{Start: t.request.Start, Typed: t.said}
	sorted := t.request.Sort != nil
	from := min(t.request.Start, len(t.found))
	here := t.found[from:min(from+t.request.Count, len(t.found))]
	switch rest := t.request.Count - len(here); {
	case sorted:
	case t.all > len(t.found) && rest > 0:
		q.From, q.Size = max(0, t.request.Start-len(t.found)), rest
	default:
		q.From, q.Size = 0, 0
	}
	if !sorted && q.Size > 0 {
		deep := q
		deep.Filter = indexer.And{q.Filter, indexer.Not{Expr: indexer.In{Field: indexer.FieldURN, Values: urnsOfRanked(t.found)}}}
		deep.Facets = nil
		further, err := t.searchExisting(ctx, &deep)
		if err != nil {
			return nil, err
		}
		for i := range further.Hits {
			here = append(slices.Clip(here), t.rank(&further.Hits[i], true))
		}
		q.From, q.Size = 0, 0
	}
	whole, err := t.searchExisting(ctx, &q)
	if err != nil {
		return nil, err
	}
	if sorted {
		here = nil
		for i := range whole.Hits {
			here = append(here, t.rank(&whole.Hits[i], false))
		}
	}
	result.Total = t.all + max(0, len(t.found)-t.all)
	result.Hits = make([]Hit, len(here))
	shown := &preparedSearch{request: &t.request, scope: t.scope, input: searchInput{text: t.text}}
	for i := range here {
		hit := &here[i]
		result.Hits[i] = Hit{URN: hit.URN, Type: hit.Type, Name: t.displayName(hit.Hit), Missing: hit.missing}
		if !t.request.WithoutMatches {
			result.Hits[i].MatchedFields = shown.matched(hit.Hit)
		}
	}
	for _, facet := range whole.Facets {
		result.Facets = append(result.Facets, Facet{facet.Field, t.facetName(ctx, t.scope, facet.Field), facet.Counts})
	}
	return result, nil
}

// wholeQuery makes the query for everything found.
func (t *typedSearch) wholeQuery() (indexer.Query, error) {
	if t.all >= len(t.found) {
		q, err := t.query(upTo(len(t.words)), 0)
		if err != nil {
			return q, err
		}
		return t.asRequested(q)
	}
	prepared, err := t.scope.prepare(&t.request, searchInput{exact: indexer.In{Field: indexer.FieldURN, Values: urnsOfRanked(t.found)}})
	if err != nil {
		return indexer.Query{}, err
	}
	return prepared.query, nil
}

// asRequested gives a query the facets, the order and the page of the request.
func (t *typedSearch) asRequested(q indexer.Query) (indexer.Query, error) {
	prepared, err := t.scope.prepare(&t.request, searchInput{exact: indexer.And{}})
	if err != nil {
		return q, err
	}
	q.Facets, q.FacetSize, q.Sort, q.From, q.Size = prepared.query.Facets, prepared.query.FacetSize, prepared.query.Sort, prepared.query.From, prepared.query.Size
	return q, nil
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
