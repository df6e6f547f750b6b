package object

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/optional"
)

// The searches of a batch run in rounds. A round has searchesARound searches, and their pages
// have about hitsARound hits together. The results of a round are in memory at once and, in the
// embedded index, come from one read transaction.
const (
	searchesARound = 100
	hitsARound     = 10_000
)

// searchedKey distinguishes the searches of a batch. asked is the request as JSON. The view is
// a member of its own, because a URN has no members that JSON would show.
type searchedKey struct{ field, asked, view string }

// searched answers a field of an entity whose value is a search. The searches of all entities
// of the same type at one place run together, and the entities that they find make one batch.
// about returns the criterion of the search for each entity; nil means no search.
func (n *Node) searched(ctx context.Context, field string, input SearchAcrossEntitiesInput, about func(*Node) (*catalog.Criterion, error)) (*SearchResults, error) {
	request, err := n.batch.session.requestOf(ctx, input)
	if err != nil {
		return nil, err
	}
	asked, err := json.Marshal(request)
	if err != nil {
		return nil, catalog.Errorf(catalog.Internal, "the search of %s: %w", n.URN, err)
	}
	found, err := batched(n, searchedKey{n.entityType() + " " + field, string(asked), request.View.String()}, func(nodes []*Node) (map[*Node]decoded[SearchResults], error) {
		nodes = alike(nodes, n)
		results := make(map[*Node]decoded[SearchResults], len(nodes))
		var searching []*Node
		var requests []search.Request
		for _, node := range nodes {
			criterion, err := about(node)
			if criterion == nil {
				results[node] = decoded[SearchResults]{emptyResults(input.Start, input.Count), err}
				continue
			}
			one := shownHits(ctx, request)
			one.Filter = narrowed(request.Filter, *criterion)
			searching, requests = append(searching, node), append(requests, one)
		}
		session := n.batch.session
		answers, err := session.searchMany(ctx, requests)
		if err != nil {
			return nil, err
		}
		entities, values := session.NewBatch(), session.NewBatch()
		for i, node := range searching {
			if err := answers[i].Err; err != nil {
				results[node] = decoded[SearchResults]{err: err}
				continue
			}
			results[node] = decoded[SearchResults]{record: session.results(request, answers[i].Result, entities, values)}
		}
		return results, nil
	})
	if err != nil {
		return nil, err
	}
	return found.record, found.err
}

// searchMany runs searches with pages of one size, round by round. Each round waits for its
// turn. searchMany counts the hits of each round as items of the answer.
func (s *Session) searchMany(ctx context.Context, requests []search.Request) ([]search.SearchAnswer, error) {
	if len(requests) == 0 {
		return nil, nil
	}
	if len(requests) > limits.MaxGraphQLSearches {
		return nil, catalog.Errorf(catalog.Invalid, "%d entities at one place of the answer are searched, at most %d are; ask for smaller pages", len(requests), limits.MaxGraphQLSearches)
	}
	answers := make([]search.SearchAnswer, 0, len(requests))
	for round := range slices.Chunk(requests, min(max(hitsARound/max(requests[0].Count, 1), 1), searchesARound)) {
		err := s.turn(ctx, func() (int, error) {
			found, err := s.Catalog.Search.SearchMany(ctx, round)
			if err != nil {
				return 0, err
			}
			answers = append(answers, found...)
			hits := 0
			for _, answer := range found {
				if answer.Err == nil {
					hits += len(answer.Result.Hits)
				}
			}
			return hits, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// narrowed adds a criterion to every alternative of a filter.
func narrowed(f *catalog.Filter, criterion catalog.Criterion) *catalog.Filter {
	if len(f.Or) == 0 {
		return &catalog.Filter{Or: []catalog.Conjunction{{And: []catalog.Criterion{criterion}}}}
	}
	narrow := &catalog.Filter{Or: make([]catalog.Conjunction, len(f.Or))}
	for i, conjunction := range f.Or {
		narrow.Or[i].And = append([]catalog.Criterion{criterion}, conjunction.And...)
	}
	return narrow
}

// oneOf returns the criterion that a field has one of some values.
func oneOf(field string, values ...string) *catalog.Criterion {
	return &catalog.Criterion{Field: field, Values: values, Condition: string(FilterOperatorEqual)}
}

// members searches the entities that name this entity in a field.
func (n *Node) members(ctx context.Context, field string, query *string, start, count *int, filters []*FacetFilterInput) (*SearchResults, error) {
	input := SearchAcrossEntitiesInput{Query: optional.Or(query, "*"), Start: start, Count: pageSize(count, limits.DefaultListPage), Filters: filters}
	return n.searched(ctx, "entities", input, func(node *Node) (*catalog.Criterion, error) { return oneOf(field, node.URN), nil })
}
