package search

import (
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/internal/querytext"
	"github.com/headwater-io/headwater/model"
)

// Request asks for the entities that match an input and a filter.
type Request struct {
	// Types are the entity types to search; empty means all that people search for.
	Types []string
	// Input is the typed text: words, <field>:<value>, a URN, * for everything, or structured
	// query text, which begins with /q.
	Input string
	// Operators tells that an input with operators, several fields or phrases is structured query
	// text even without /q.
	Operators bool
	Filter    *catalog.Filter
	// Within, when not nil, lists the URNs of the only entities to search.
	Within []string
	// View is the saved view to apply, the zero URN for none.
	View model.URN
	// Sort replaces the order by relevance. ThenBy orders hits that Sort leaves equal. Sort and
	// ThenBy together may have limits.MaxSortKeys criteria.
	Sort   *SortCriterion
	ThenBy []SortCriterion
	// IncludeRemoved asks also for soft-deleted entities.
	IncludeRemoved bool
	// HiddenStages asks also for entities in a life-cycle stage that hides them.
	HiddenStages bool
	// LatestVersions leaves out entities that are not the latest version of their set.
	LatestVersions bool
	// Start and Count select a page; ScrollID continues after an earlier page.
	Start, Count int
	Scroll       bool
	// Named asks for the display names of the hits.
	Named    bool
	ScrollID string
	// WithoutMatches leaves out the matched fields of the hits.
	WithoutMatches bool
	// MatchedIn, if not empty, lists the only fields whose matches are reported.
	MatchedIn []string
	// MostWords applies to an input of plain words that no entity has together. MostWords asks for
	// the entities with most of the words; the result then has MostWords.
	MostWords bool
	// AsTyped applies to an input of plain words: words for types and platforms count, entities with
	// most of the words follow those with all, and certified and owned entities come first. The
	// result then has Typed.
	AsTyped bool
	// Facets are the fields to count; nil means the facets of the model.
	Facets []string
	// FacetSize bounds the values of a facet; 0, and more than facetSize, mean facetSize.
	FacetSize int
}

// Hit is an entity that was found.
type Hit struct {
	URN, Type string
	// Name is the display name.
	Name          string
	MatchedFields []MatchedField
	// Missing are the words of a search as people type that the entity does not have.
	Missing []string
}

// Facet counts all entities that were found by the values of a field.
type Facet struct {
	Field, DisplayName string
	Counts             []indexer.Count
}

// Result is a page of entities that were found.
type Result struct {
	Hits     []Hit
	Start    int
	Total    int
	Facets   []Facet
	ScrollID string
	// MostWords is set if no entity has all words of the input, so that entities with most of the
	// words were searched for.
	MostWords *MostWords
	// Typed is set for a search as people type.
	Typed *TypedWords
}

// searchScope returns the scope of a search, and checks its entity types.
func (s *Service) searchScope(types []string) (*searchScope, error) {
	if err := catalog.CheckLists("entity types", types); err != nil {
		return nil, err
	}
	scope := &searchScope{schema: s.schema, registry: s.registry}
	for _, name := range types {
		e, err := s.reader.EntityType(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(scope.types, e.Name) {
			scope.types = append(scope.types, e.Name)
		}
	}
	if len(scope.types) == 0 {
		scope.types = s.searchableTypes()
	}
	slices.Sort(scope.types)
	return scope, nil
}

// CheckFilter fails if searches of the entity types refuse a filter. No types means all.
func (s *Service) CheckFilter(types []string, f *catalog.Filter) error {
	scope, err := s.searchScope(types)
	if err != nil {
		return err
	}
	scope.strict = true
	_, err = scope.filter(f, show{})
	return err
}

// unsearched are the types that describe the model itself and are in every catalog. A search
// includes them only when it names them.
var unsearched = []string{model.EntityDataType, model.EntityEntityType}

// searchableTypes returns the entity types that people search for: all types except the types
// that the model calls internal and the types that describe the model.
func (s *Service) searchableTypes() []string {
	var types []string
	for _, e := range s.registry.Entities() {
		if e.Category != "internal" && !slices.Contains(unsearched, e.Name) {
			types = append(types, e.Name)
		}
	}
	return types
}

// Search finds entities by their latest state.
func (s *Service) Search(ctx context.Context, r Request) (*Result, error) {
	asked := r
	ctx, err := s.caughtUp(ctx)
	if err != nil {
		return nil, err
	}
	scope, err := s.viewedScope(ctx, r.Types, r.View)
	if err != nil {
		return nil, err
	}
	if r.Filter, err = s.withRelated(ctx, r.Filter); err != nil {
		return nil, err
	}
	if r.Operators {
		r.Input = querytext.Structure(r.Input)
	}
	input, err := s.parse(ctx, scope, r.Input)
	if err != nil {
		return nil, err
	}
	if r.AsTyped && !r.Scroll && input.isSentence(r.Input) {
		return s.searchTyped(ctx, scope, r, &input)
	}
	prepared, err := scope.prepare(&r, input)
	if err != nil {
		return nil, err
	}
	found, err := s.searchExisting(ctx, &prepared.query)
	if err != nil {
		return nil, err
	}
	if found.Total == 0 && r.MostWords && input.isSentence(r.Input) {
		return s.searchMost(ctx, asked)
	}
	return s.shown(ctx, prepared, found), nil
}

// preparedSearch is a checked search with its query for the index.
type preparedSearch struct {
	request *Request
	scope   *searchScope
	input   searchInput
	query   indexer.Query
}

// prepare checks a request with a parsed input, and makes the query for the index.
func (s *searchScope) prepare(r *Request, input searchInput) (*preparedSearch, error) {
	page, err := catalog.PageOf(r.Start, r.Count)
	if err != nil {
		return nil, err
	}
	filter, err := s.filter(r.Filter, input.shown.and(show{removed: r.IncludeRemoved, stages: r.HiddenStages}))
	if err != nil {
		return nil, err
	}
	if _, versioned := s.field(latestField); r.LatestVersions && versioned {
		filter = indexer.And{filter, indexer.Not{Expr: indexer.In{Field: latestField, Values: []string{"false"}}}}
	}
	if r.Within != nil {
		filter = indexer.And{filter, indexer.In{Field: indexer.FieldURN, Values: r.Within}}
	}
	q := indexer.Query{
		Text: input.text, Filter: indexer.And{filter, input.exact}, From: page.Start, Size: page.Count,
		Scroll: r.Scroll, After: r.ScrollID, FacetSize: facetSizeOf(r.FacetSize),
	}
	if input.exact == nil {
		q.Filter = filter
		q.Plain = len(input.text.Tokens) == 0 && !r.Named
	}
	if q.Sort, err = s.sorts(r); err != nil {
		return nil, err
	}
	if q.Facets, err = s.facets(r.Facets); err != nil {
		return nil, err
	}
	return &preparedSearch{request: r, scope: s, input: input, query: q}, nil
}

// shown makes the result of a search from the answer of the index.
func (s *Service) shown(ctx context.Context, p *preparedSearch, found *indexer.Result) *Result {
	result := &Result{Start: p.request.Start, Total: found.Total, ScrollID: found.Next, Hits: make([]Hit, len(found.Hits))}
	for i := range found.Hits {
		hit := &found.Hits[i]
		result.Hits[i] = Hit{URN: hit.URN, Type: hit.Type, Name: s.displayName(hit)}
		if !p.request.WithoutMatches {
			result.Hits[i].MatchedFields = p.matched(hit)
		}
	}
	for _, facet := range found.Facets {
		result.Facets = append(result.Facets, Facet{facet.Field, s.facetName(ctx, p.scope, facet.Field), facet.Counts})
	}
	return result
}

// matched returns the matched fields of a hit that the request wants.
func (p *preparedSearch) matched(hit *indexer.Hit) []MatchedField {
	fields := p.scope.matched(&p.input, hit)
	if wanted := p.request.MatchedIn; len(wanted) > 0 {
		fields = slices.DeleteFunc(fields, func(f MatchedField) bool { return !slices.Contains(wanted, f.Name) })
	}
	return fields
}

// latestField is the field that tells whether an entity is the latest version of its set.
const latestField = "isLatest"

// searchExisting searches the index, and leaves out entities that do not exist.
func (s *Service) searchExisting(ctx context.Context, q *indexer.Query) (*indexer.Result, error) {
	found, err := s.searchIndex(ctx, q)
	if err != nil {
		return nil, err
	}
	if err := s.withoutPhantoms(ctx, found); err != nil {
		return nil, err
	}
	return found, nil
}

// withoutPhantoms removes entities that do not exist from results.
func (s *Service) withoutPhantoms(ctx context.Context, results ...*indexer.Result) error {
	lists := make([][]indexer.Hit, len(results))
	for i, r := range results {
		lists[i] = r.Hits
	}
	real, err := s.follower.Existing(ctx, lists...)
	if err != nil {
		return err
	}
	for i, r := range results {
		r.Total = max(r.Total-(len(r.Hits)-len(real[i])), 0)
		r.Hits = real[i]
	}
	return nil
}

func (s *Service) searchIndex(ctx context.Context, q *indexer.Query) (*indexer.Result, error) {
	if err := s.catchUp(ctx); err != nil {
		return nil, err
	}
	found, err := s.index.Search(ctx, q)
	s.follower.Sighted(err)
	return found, follower.Failure(err)
}

// namesOf lists the names of the fields of the types for which the function is returns true.
func (s *searchScope) namesOf(is func(*indexer.Field) bool) []string {
	var names []string
	for _, t := range s.types {
		for _, f := range s.schema.Fields(t) {
			if is(f) && !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	return names
}

// nameFields are the fields that have the display name of an entity, the best first.
var nameFields = []string{"displayName", "title", "fullName", "name", "qualifiedName", "id"}

// displayName returns the display name of a hit.
func (s *Service) displayName(hit *indexer.Hit) string {
	for _, field := range nameFields {
		if values := hit.Values[field]; len(values) > 0 && values[0] != "" {
			return values[0]
		}
	}
	if u := model.StoredURN(hit.URN); !u.IsZero() {
		return indexer.Leaf(u)
	}
	return hit.URN
}

// CountEntities counts the entities of each type that are not soft-deleted. No types means all.
func (s *Service) CountEntities(ctx context.Context, types []string) (map[string]int, error) {
	scope, err := s.searchScope(types)
	if err != nil {
		return nil, err
	}
	filter, err := scope.filter(nil, show{})
	if err != nil {
		return nil, err
	}
	found, err := s.searchExisting(ctx, &indexer.Query{Filter: filter, Facets: []string{indexer.FieldType}, FacetSize: len(scope.types)})
	if err != nil {
		return nil, err
	}
	counts := make(map[string]int, len(scope.types))
	for _, name := range scope.types {
		counts[name] = 0
	}
	for _, facet := range found.Facets {
		for _, n := range facet.Counts {
			counts[n.Value] = n.Docs
		}
	}
	return counts, nil
}

// AutocompleteRequest asks for completions of the text typed so far.
type AutocompleteRequest struct {
	// Types are as in [Request].
	Types []string
	Query string
	// Field, if not empty, is the only field to complete.
	Field  string
	Filter *catalog.Filter
	// View is as in [Request].
	View  model.URN
	Limit int
}

// Suggestions are completions, and the entities from which they are taken.
type Suggestions struct {
	Texts []string
	Hits  []Hit
}

// Autocomplete suggests names of entities that begin with the typed text. Autocomplete
// completes the beginning of a URN to URNs.
func (s *Service) Autocomplete(ctx context.Context, r AutocompleteRequest) (*Suggestions, error) {
	ctx, err := s.caughtUp(ctx)
	if err != nil {
		return nil, err
	}
	scope, err := s.viewedScope(ctx, r.Types, r.View)
	if err != nil {
		return nil, err
	}
	page, err := catalog.PageOf(0, r.Limit)
	if err != nil {
		return nil, err
	}
	filter, err := scope.filter(r.Filter, show{})
	if err != nil {
		return nil, err
	}
	fields, err := scope.completing(fieldName(r.Field))
	if err != nil {
		return nil, err
	}
	tokens, err := tokensOf(r.Query)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(r.Query, "urn:") && (r.Field == "" || r.Field == indexer.FieldURN) {
		return s.completeURN(ctx, r.Query, filter, page.Count)
	}
	if len(tokens) == 0 {
		return &Suggestions{Texts: []string{}, Hits: []Hit{}}, nil
	}
	if err := s.catchUp(ctx); err != nil {
		return nil, err
	}
	hits, err := s.index.Suggest(ctx, &indexer.SuggestQuery{Tokens: tokens, Fields: fields, Names: nameFields, Filter: filter, Size: page.Count})
	if err != nil {
		s.follower.Sighted(err)
		return nil, follower.Failure(err)
	}
	real, err := s.follower.Existing(ctx, hits)
	if err != nil {
		return nil, err
	}
	return s.suggestions(real[0], fields, tokens), nil
}

// completing returns the fields from which suggestions are taken.
func (s *searchScope) completing(field string) ([]string, error) {
	names := s.namesOf(func(f *indexer.Field) bool { return f.Completes && f.Kind != indexer.KindURN })
	names = append(names, indexer.FieldURN)
	if field == "" {
		return names, nil
	}
	all := append(s.namesOf(func(f *indexer.Field) bool { return f.Completes }), indexer.FieldURN)
	if !slices.Contains(all, field) {
		return nil, catalog.Errorf(catalog.Invalid, "the field %q cannot be completed%s", field, nearest.Among(field, all, "fields to complete"))
	}
	return []string{field}, nil
}

// suggestions picks from each hit the text that continues the words.
func (s *Service) suggestions(hits []indexer.Hit, fields, tokens []string) *Suggestions {
	found := &Suggestions{Texts: []string{}, Hits: []Hit{}}
	for i := range hits {
		text, ok := s.completion(&hits[i], fields, tokens)
		if !ok {
			continue
		}
		found.Hits = append(found.Hits, Hit{URN: hits[i].URN, Type: hits[i].Type, Name: s.displayName(&hits[i])})
		if !slices.Contains(found.Texts, text) {
			found.Texts = append(found.Texts, text)
		}
	}
	return found
}

func (s *Service) completion(hit *indexer.Hit, fields, tokens []string) (string, bool) {
	for _, name := range fields {
		values := hit.Values[name]
		f, ok := s.schema.Field(hit.Type, name)
		if !ok {
			continue
		}
		for _, value := range values {
			if everyToken(tokens, indexer.IndexTokens(f.Words(value))) {
				if name == indexer.FieldURN {
					return s.displayName(hit), true
				}
				return value, true
			}
		}
	}
	return "", false
}

func (s *Service) completeURN(ctx context.Context, text string, filter indexer.Expr, limit int) (*Suggestions, error) {
	found, err := s.searchExisting(ctx, &indexer.Query{
		Filter: indexer.And{filter, indexer.Match{Field: indexer.FieldURN, Kind: indexer.Prefix, Texts: []string{text}}},
		Sort:   []indexer.Sort{{Field: indexer.FieldURN}}, Size: limit,
	})
	if err != nil {
		return nil, err
	}
	completed := &Suggestions{Texts: []string{}, Hits: []Hit{}}
	for i := range found.Hits {
		hit := &found.Hits[i]
		completed.Texts = append(completed.Texts, hit.URN)
		completed.Hits = append(completed.Hits, Hit{URN: hit.URN, Type: hit.Type, Name: s.displayName(hit)})
	}
	return completed, nil
}
