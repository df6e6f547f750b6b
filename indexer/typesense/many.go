package typesense

import (
	"context"
	"errors"
	"slices"

	"github.com/typesense/typesense-go/v3/typesense"

	"github.com/headwater-io/headwater/indexer"
)

// Search answers a query.
func (x *Index) Search(ctx context.Context, q *indexer.Query) (*indexer.Result, error) {
	answers, err := x.SearchMany(ctx, []*indexer.Query{q})
	if err != nil {
		return nil, err
	}
	return answers[0].Result, answers[0].Err
}

// SearchMany answers queries in rounds. In each round, the next requests of all queries are
// sent together, maxSearches at a time. Most queries are done after the first round.
func (x *Index) SearchMany(ctx context.Context, queries []*indexer.Query) ([]indexer.Answer, error) {
	answers, err := x.searchMany(ctx, queries)
	return answers, failure(err)
}

func (x *Index) searchMany(ctx context.Context, queries []*indexer.Query) ([]indexer.Answer, error) {
	if err := x.open(); err != nil {
		return nil, err
	}
	conditions, searches := x.compiler(), make([]*search, len(queries))
	for i, q := range queries {
		s, err := conditions.begin(ctx, q)
		if err != nil && !ofQuery(err) {
			return nil, err
		}
		s.err = err
		searches[i] = s
	}
	long := missing{}
	for under := unfinished(searches); len(under) > 0; under = unfinished(under) {
		if err := x.round(ctx, under, long); err != nil {
			return nil, err
		}
		for _, s := range under {
			if err := conditions.correct(ctx, s); err != nil {
				return nil, err
			}
		}
	}
	if err := x.lookUp(ctx, long); err != nil {
		return nil, err
	}
	answers := make([]indexer.Answer, len(queries))
	for i, s := range searches {
		if s.err != nil {
			answers[i].Err = failure(s.err)
			continue
		}
		answers[i].Result = s.result()
	}
	return answers, nil
}

// begin makes the search of a query. It returns the search also with an error.
func (x *compiler) begin(ctx context.Context, q *indexer.Query) (*search, error) {
	s := &search{index: x.Index, query: q, typed: q, from: q.From, size: q.Size}
	var err error
	if s.condition, err = x.compile(ctx, q.Filter); err != nil {
		return s, err
	}
	if s.facetFields, err = x.facetFields(ctx, q.Facets); err != nil {
		return s, err
	}
	if err := s.begin(); err != nil {
		return s, err
	}
	s.restart()
	return s, nil
}

// ofQuery reports whether an error concerns only its query, so that other queries can be
// answered.
func ofQuery(err error) bool {
	var answer *typesense.HTTPError
	return errors.Is(err, indexer.ErrBadToken) || errors.Is(err, indexer.ErrTooComplex) ||
		errors.As(err, &answer) && answer.Status < 500 && !unwell[answer.Status]
}

// unfinished returns the searches that need another round.
func unfinished(searches []*search) []*search {
	return slices.DeleteFunc(slices.Clone(searches), func(s *search) bool { return s.done || s.err != nil })
}

// ask is one request of a search.
type ask struct {
	of     *search
	search parameters
}

// round sends the next requests of each search. A single search asks for many pages at
// once; of many searches, each asks for few.
func (x *Index) round(ctx context.Context, searches []*search, long missing) error {
	most := max(maxSearches/len(searches), 1)
	var asks []ask
	for _, s := range searches {
		s.items = nil
		for _, p := range s.asks(most) {
			asks = append(asks, ask{s, p})
		}
	}
	if err := x.sendAll(ctx, asks); err != nil {
		return err
	}
	for _, s := range searches {
		for _, item := range s.items {
			if err := itemFailure(item); err != nil && s.err == nil {
				s.err = err
			}
		}
		if s.err == nil {
			s.err = s.take(s.items, long)
		}
		if s.items = nil; s.err != nil && !ofQuery(s.err) {
			return s.err
		}
	}
	return nil
}

// sendAll sends the requests of searches, maxSearches at a time, and gives each search its
// answers.
func (x *Index) sendAll(ctx context.Context, asks []ask) error {
	for chunk := range slices.Chunk(asks, maxSearches) {
		searches := make([]parameters, len(chunk))
		for i := range chunk {
			searches[i] = chunk[i].search
		}
		items, err := x.send(ctx, searches)
		if err != nil {
			return err
		}
		for i := range chunk {
			chunk[i].of.items = append(chunk[i].of.items, items[i])
		}
	}
	return nil
}
