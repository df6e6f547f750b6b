package search

import (
	"context"
	"strings"

	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/indexer"
)

// SearchAnswer is the result of one search of SearchMany, or its error.
type SearchAnswer struct {
	Result *Result
	Err    error
}

// SearchMany answers or refuses each of several searches as [Service.Search] does. SearchMany
// queries the index and the store once for all of them, and reads each saved view once. All pages
// are in memory at once. The error concerns all searches.
func (s *Service) SearchMany(ctx context.Context, requests []Request) ([]SearchAnswer, error) {
	ctx, err := s.caughtUp(ctx)
	if err != nil {
		return nil, err
	}
	answers := make([]SearchAnswer, len(requests))
	scopes, prepared := scopes{service: s, known: map[string]scopeOrNot{}}, make([]*preparedSearch, len(requests))
	var queries []*indexer.Query
	for i := range requests {
		prepared[i], answers[i].Err = scopes.prepare(ctx, &requests[i])
		if answers[i].Err == nil {
			queries = append(queries, &prepared[i].query)
		}
	}
	if len(queries) == 0 {
		return answers, nil
	}
	found, err := s.findMany(ctx, queries)
	if err != nil {
		return nil, err
	}
	for i := range answers {
		if answers[i].Err != nil {
			continue
		}
		if answers[i].Err = follower.Failure(found[0].Err); found[0].Err == nil {
			answers[i].Result = s.shown(ctx, prepared[i], found[0].Result)
		}
		found = found[1:]
	}
	return answers, nil
}

// findMany queries the index, and leaves entities that do not exist out of the answers.
func (s *Service) findMany(ctx context.Context, queries []*indexer.Query) ([]indexer.Answer, error) {
	if err := s.catchUp(ctx); err != nil {
		return nil, err
	}
	answers, err := s.index.SearchMany(ctx, queries)
	s.follower.Sighted(err)
	if err != nil {
		return nil, follower.Failure(err)
	}
	var results []*indexer.Result
	for i := range answers {
		if answers[i].Err == nil {
			results = append(results, answers[i].Result)
		}
	}
	if err := s.withoutPhantoms(ctx, results...); err != nil {
		return nil, err
	}
	return answers, nil
}

// scopes makes the scopes of several searches, each scope once.
type scopes struct {
	service *Service
	known   map[string]scopeOrNot
}

type scopeOrNot struct {
	scope *searchScope
	err   error
}

func (s *scopes) prepare(ctx context.Context, r *Request) (*preparedSearch, error) {
	key := r.View.String() + "\n" + strings.Join(r.Types, "\n")
	made, ok := s.known[key]
	if !ok {
		made.scope, made.err = s.service.viewedScope(ctx, r.Types, r.View)
		s.known[key] = made
	}
	if made.err != nil {
		return nil, made.err
	}
	related, err := s.service.withRelated(ctx, r.Filter)
	if err != nil {
		return nil, err
	}
	input, err := s.service.parse(ctx, made.scope, r.Input)
	if err != nil {
		return nil, err
	}
	one := *r
	one.Filter = related
	return made.scope.prepare(&one, input)
}
