package typesense

import (
	"context"
	"errors"
	"fmt"

	"github.com/headwater-io/headwater/indexer"
)

// correct starts a search again with words similar to those typed, if the search found
// nothing, its query permits typos and there are similar words.
func (x *compiler) correct(ctx context.Context, s *search) error {
	for s.correctable() && s.changes < indexer.MaxChanges {
		s.changes++
		query, err := x.corrected(ctx, s.typed, s.changes)
		if query == nil && err == nil {
			continue
		}
		if err == nil {
			s.condition, err = x.compile(ctx, query.Filter)
		}
		switch {
		case err == nil:
			s.query, s.done = query, false
			s.restart()
			return nil
		case !errors.Is(err, indexer.ErrTooComplex): // with too many similar words, the search keeps its empty result
			return err
		}
	}
	return nil
}

// correctable reports whether a search found nothing and its query permits typos.
func (s *search) correctable() bool {
	text := &s.typed.Text
	return s.done && s.err == nil && s.total == 0 && text.Typos && len(text.Tokens) > 0
}

// corrected returns a query with words similar to those typed, or nil if a typed word has
// no similar one.
func (x *compiler) corrected(ctx context.Context, typed *indexer.Query, changes int) (*indexer.Query, error) {
	query, filter := *typed, indexer.And{}
	query.Text = indexer.Text{}
	if typed.Filter != nil {
		filter = append(filter, typed.Filter)
	}
	// The words that documents have may be words of hidden documents only, which the order of hits must not show.
	tokens, exact := []string{}, !typed.Text.Without.Has(indexer.TextReferences)
	for i, token := range typed.Text.Tokens {
		prefix := typed.Text.Prefix && i == len(typed.Text.Tokens)-1
		words, err := x.similar(ctx, token, min(changes, indexer.ChangesIn(token)), prefix)
		if err != nil || len(words) == 0 {
			return nil, err
		}
		for _, word := range words {
			query.Text.Also = append(query.Text.Also, indexer.Word{Token: word})
		}
		filter = append(filter, anyWord(words, typed.Text.Without))
		tokens, exact = append(tokens, words[0]), exact && len(words) == 1
	}
	if exact {
		query.Text = indexer.Text{Tokens: tokens, Without: typed.Text.Without}
		return &query, nil
	}
	query.Filter = filter
	return &query, nil
}

// similar returns the words of documents that differ from a typed word in at most changes
// letters. With prefix, it is enough that a beginning of the word differs in so few letters.
func (x *compiler) similar(ctx context.Context, typed string, changes int, prefix bool) ([]string, error) {
	memo := fmt.Sprintf("similar %q %d %t", typed, changes, prefix)
	if found, known := x.matched[memo]; known {
		return found, nil
	}
	if x.words == nil {
		words, err := x.vocabulary.read(ctx, x.Index)
		if err != nil {
			return nil, err
		}
		x.words = words
	}
	found := []string{}
	for _, i := range indexer.SimilarWords(sortedWords(x.words), typed, changes, prefix) {
		found = append(found, x.words[i])
	}
	x.matched[memo] = found
	return found, nil
}
