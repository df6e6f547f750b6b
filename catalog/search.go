package catalog

import (
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
)

// facetSize is how many values of a facet are counted.
const facetSize = 20

// SearchRequest asks for entities.
type SearchRequest struct {
	// Types are the entity types looked into; empty means all that people
	// search for.
	Types []string
	// Input is what was typed: words, <field>:<value>, a URN, or * for
	// everything.
	Input  string
	Filter *Filter
	// Within, when not nil, are the URNs of the entities looked at.
	Within []string
	// View is the URN of a saved view to look through, "" for none.
	View string
	Sort *SortCriterion
	// Start and Count select a page; ScrollID goes on behind an earlier one.
	Start, Count int
	Scroll       bool
	// Named: the names of the hits are wanted.
	Named    bool
	ScrollID string
	// WithoutMatches: the fields in which the input was found are not wanted.
	WithoutMatches bool
	// Facets are the fields to count; nil means those of the model.
	Facets []string
}

// SortCriterion orders results by a field. Order is ASCENDING or DESCENDING.
type SortCriterion struct {
	Field string `json:"field"`
	Order string `json:"order"`
}

// SearchHit is an entity found.
type SearchHit struct {
	URN, Type string
	// Name is what people call it.
	Name          string
	MatchedFields []MatchedField
}

// SearchFacet counts all entities found by the values of a field.
type SearchFacet struct {
	Field, DisplayName string
	Counts             []indexer.Count
}

// SearchResult is a page of entities found.
type SearchResult struct {
	Hits     []SearchHit
	Start    int
	Total    int
	Facets   []SearchFacet
	ScrollID string
}

// scope checks the entity types of a search.
func (c *Catalog) scope(types []string) (*searchScope, error) {
	if err := checkLists("entity types", types); err != nil {
		return nil, err
	}
	s := &searchScope{schema: c.schema, registry: c.registry}
	for _, name := range types {
		e, err := c.entityType(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(s.types, e.Name) {
			s.types = append(s.types, e.Name)
		}
	}
	if len(s.types) == 0 {
		s.types = c.searchableTypes()
	}
	slices.Sort(s.types)
	return s, nil
}

// searchableTypes are the entity types that people search for: those that the
// model does not call internal.
func (c *Catalog) searchableTypes() []string {
	var types []string
	for _, e := range c.registry.Entities() {
		if e.Category != "internal" {
			types = append(types, e.Name)
		}
	}
	return types
}

// Search finds entities. Only their latest state is looked into.
func (c *Catalog) Search(ctx context.Context, r SearchRequest) (*SearchResult, error) {
	scope, err := c.viewedScope(ctx, r.Types, r.View)
	if err != nil {
		return nil, err
	}
	page, err := pageOf(r.Start, r.Count)
	if err != nil {
		return nil, err
	}
	filter, err := scope.filter(r.Filter)
	if err != nil {
		return nil, err
	}
	if r.Within != nil {
		filter = indexer.And{filter, indexer.In{Field: indexer.FieldURN, Values: r.Within}}
	}
	input, err := scope.parseInput(r.Input)
	if err != nil {
		return nil, err
	}
	q := indexer.Query{
		Text: input.text, Filter: indexer.And{filter, input.exact}, From: page.Start, Size: page.Count,
		Scroll: r.Scroll, After: r.ScrollID, FacetSize: facetSize,
	}
	if input.exact == nil {
		q.Filter = filter
		q.Plain = len(input.text.Tokens) == 0 && !r.Named
	}
	if q.Sort, err = scope.sort(r.Sort); err != nil {
		return nil, err
	}
	if q.Facets, err = scope.facets(r.Facets); err != nil {
		return nil, err
	}
	found, err := c.find(ctx, &q)
	if err != nil {
		return nil, err
	}
	result := &SearchResult{Start: r.Start, Total: found.Total, ScrollID: found.Next, Hits: make([]SearchHit, len(found.Hits))}
	for i := range found.Hits {
		hit := &found.Hits[i]
		result.Hits[i] = SearchHit{URN: hit.URN, Type: hit.Type, Name: c.displayName(hit)}
		if !r.WithoutMatches {
			result.Hits[i].MatchedFields = scope.matched(&input, hit)
		}
	}
	for _, facet := range found.Facets {
		result.Facets = append(result.Facets, SearchFacet{facet.Field, scope.displayName(facet.Field), facet.Counts})
	}
	return result, nil
}

// find asks the index, and leaves out of its answer what does not exist.
func (c *Catalog) find(ctx context.Context, q *indexer.Query) (*indexer.Result, error) {
	found, err := c.ask(ctx, q)
	if err != nil {
		return nil, err
	}
	hits, err := c.existing(ctx, found.Hits)
	if err != nil {
		return nil, err
	}
	found.Total = max(found.Total-(len(found.Hits)-len(hits)), 0)
	found.Hits = hits
	return found, nil
}

// ask asks the index.
func (c *Catalog) ask(ctx context.Context, q *indexer.Query) (*indexer.Result, error) {
	if c.index == nil {
		return nil, errNoIndex
	}
	found, err := c.index.Search(ctx, q)
	c.follower.sighted(err)
	return found, indexFailure(err)
}

// sort checks the order asked for.
func (s *searchScope) sort(by *SortCriterion) ([]indexer.Sort, error) {
	if by == nil || by.Field == "" || by.Field == "_score" {
		return nil, nil
	}
	name := fieldName(by.Field)
	f, ok := s.field(name)
	if !ok || !f.Sortable() {
		return nil, Errorf(Invalid, "results cannot be sorted by %q; there are %s", name, strings.Join(s.sortable(), ", "))
	}
	sort := indexer.Sort{Field: f.Name, Numeric: f.Kind == indexer.KindNumber}
	switch by.Order {
	case "", "ASCENDING":
	case "DESCENDING":
		sort.Descending = true
	default:
		return nil, Errorf(Invalid, "the order is ASCENDING or DESCENDING, not %q", by.Order)
	}
	return []indexer.Sort{sort}, nil
}

func (s *searchScope) sortable() []string {
	return s.namesOf((*indexer.Field).Sortable)
}

// namesOf lists the fields of the types that are of a kind.
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

// facets are the fields to count, the model's unless others are asked for.
func (s *searchScope) facets(wanted []string) ([]string, error) {
	known := s.namesOf(func(f *indexer.Field) bool { return f.Facet })
	if wanted == nil {
		return known, nil
	}
	if err := tooMany("facets", len(wanted), limits.MaxFacets); err != nil {
		return nil, err
	}
	names := make([]string, 0, len(wanted))
	for _, name := range wanted {
		name = fieldName(name)
		if !slices.Contains(known, name) {
			return nil, Errorf(Invalid, "the field %q is no facet; there are %s", name, strings.Join(known, ", "))
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// displayName is what the types call a facet.
func (s *searchScope) displayName(field string) string {
	for _, t := range s.types {
		if f, ok := s.schema.Field(t, field); ok && f.Facet {
			return f.DisplayName
		}
	}
	return field
}

// nameFields hold what people call an entity, best first.
var nameFields = []string{"displayName", "title", "fullName", "name", "qualifiedName", "id"}

// displayName is what people call an entity found.
func (c *Catalog) displayName(hit *indexer.Hit) string {
	for _, field := range nameFields {
		if values := hit.Values[field]; len(values) > 0 && values[0] != "" {
			return values[0]
		}
	}
	if u, _, err := c.parseURN(hit.URN); err == nil {
		return indexer.Leaf(u)
	}
	return hit.URN
}

// CountEntities counts the entities of each of some types that are not
// soft-deleted; no types means all.
func (c *Catalog) CountEntities(ctx context.Context, types []string) (map[string]int, error) {
	scope, err := c.scope(types)
	if err != nil {
		return nil, err
	}
	filter, err := scope.filter(nil)
	if err != nil {
		return nil, err
	}
	found, err := c.find(ctx, &indexer.Query{Filter: filter, Facets: []string{indexer.FieldType}, FacetSize: len(scope.types)})
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

// AutocompleteRequest asks for completions of what has been typed so far.
type AutocompleteRequest struct {
	// Types as in SearchRequest.
	Types []string
	Query string
	// Field, when given, is the one field completed.
	Field  string
	Filter *Filter
	// View as in SearchRequest.
	View  string
	Limit int
}

// Suggestions are completions, and the entities that they are from.
type Suggestions struct {
	Texts []string
	Hits  []SearchHit
}

// Autocomplete suggests names of entities that go on from what was typed. Most
// of a URN is completed to URNs.
func (c *Catalog) Autocomplete(ctx context.Context, r AutocompleteRequest) (*Suggestions, error) {
	scope, err := c.viewedScope(ctx, r.Types, r.View)
	if err != nil {
		return nil, err
	}
	page, err := pageOf(0, r.Limit)
	if err != nil {
		return nil, err
	}
	filter, err := scope.filter(r.Filter)
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
		return c.completeURN(ctx, r.Query, filter, page.Count)
	}
	if len(tokens) == 0 {
		return &Suggestions{Texts: []string{}, Hits: []SearchHit{}}, nil
	}
	if c.index == nil {
		return nil, errNoIndex
	}
	hits, err := c.index.Suggest(ctx, &indexer.SuggestQuery{Tokens: tokens, Fields: fields, Names: nameFields, Filter: filter, Size: page.Count})
	if err != nil {
		c.follower.sighted(err)
		return nil, indexFailure(err)
	}
	if hits, err = c.existing(ctx, hits); err != nil {
		return nil, err
	}
	return c.suggestions(hits, fields, tokens), nil
}

// completing are the fields that suggestions are made of.
func (s *searchScope) completing(field string) ([]string, error) {
	names := s.namesOf(func(f *indexer.Field) bool { return f.Completes && f.Kind != indexer.KindURN })
	names = append(names, indexer.FieldURN)
	if field == "" {
		return names, nil
	}
	all := append(s.namesOf(func(f *indexer.Field) bool { return f.Completes }), indexer.FieldURN)
	if !slices.Contains(all, field) {
		return nil, Errorf(Invalid, "the field %q is not completed; there are %s", field, strings.Join(all, ", "))
	}
	return []string{field}, nil
}

// suggestions picks of each hit the text that goes on from the words.
func (c *Catalog) suggestions(hits []indexer.Hit, fields, tokens []string) *Suggestions {
	s := &Suggestions{Texts: []string{}, Hits: []SearchHit{}}
	for i := range hits {
		text, ok := c.completion(&hits[i], fields, tokens)
		if !ok {
			continue
		}
		s.Hits = append(s.Hits, SearchHit{URN: hits[i].URN, Type: hits[i].Type, Name: c.displayName(&hits[i])})
		if !slices.Contains(s.Texts, text) {
			s.Texts = append(s.Texts, text)
		}
	}
	return s
}

func (c *Catalog) completion(hit *indexer.Hit, fields, tokens []string) (string, bool) {
	for _, name := range fields {
		values := hit.Values[name]
		f, ok := c.schema.Field(hit.Type, name)
		if !ok {
			continue
		}
		for _, value := range values {
			if everyToken(tokens, indexer.IndexTokens(f.Words(value))) {
				if name == indexer.FieldURN {
					return c.displayName(hit), true
				}
				return value, true
			}
		}
	}
	return "", false
}

func (c *Catalog) completeURN(ctx context.Context, text string, filter indexer.Expr, limit int) (*Suggestions, error) {
	found, err := c.find(ctx, &indexer.Query{
		Filter: indexer.And{filter, indexer.Match{Field: indexer.FieldURN, Kind: indexer.Prefix, Texts: []string{text}}},
		Sort:   []indexer.Sort{{Field: indexer.FieldURN}}, Size: limit,
	})
	if err != nil {
		return nil, err
	}
	s := &Suggestions{Texts: []string{}, Hits: []SearchHit{}}
	for i := range found.Hits {
		hit := &found.Hits[i]
		s.Texts = append(s.Texts, hit.URN)
		s.Hits = append(s.Hits, SearchHit{URN: hit.URN, Type: hit.Type, Name: c.displayName(hit)})
	}
	return s, nil
}
