package object

import (
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/optional"
)

// searchedByDefault are the types of a search that names none.
var searchedByDefault = []EntityType{
	EntityTypeDataset, EntityTypeDashboard, EntityTypeChart, EntityTypeMlmodel, EntityTypeMlmodelGroup,
	EntityTypeMlfeatureTable, EntityTypeMlfeature, EntityTypeMlprimaryKey, EntityTypeDataFlow, EntityTypeDataJob,
	EntityTypeGlossaryTerm, EntityTypeGlossaryNode, EntityTypeTag, EntityTypeCorpUser, EntityTypeCorpGroup,
	EntityTypeContainer, EntityTypeDomain, EntityTypeDataProduct, EntityTypeNotebook,
}

// NamesOf returns the names of entity types in the model. Without types, it returns the names
// of the types that people search by default, of the types of a custom model, and of the types
// that a criterion of the filter names.
func (s *Session) NamesOf(types []EntityType, filters ...*FacetFilterInput) []string {
	byDefault := len(types) == 0
	if byDefault {
		types = searchedByDefault
		for _, f := range filters {
			types = withAsked(types, f)
		}
	}
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = NameOf(t)
	}
	if byDefault {
		names = append(names, s.Catalog.Registry().CustomEntities()...)
	}
	return names
}

// withAsked adds the types that a criterion names.
func withAsked(types []EntityType, f *FacetFilterInput) []EntityType {
	if !isTypeField(f.Field) || optional.Or(f.Negated, false) {
		return types
	}
	types = slices.Clone(types)
	for _, value := range valuesOf(f) {
		if t := typeSpelled(value); t != "" && !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	return types
}

// typeField is the field of the entity type in filters and facets. typeAlias is another name of
// the field.
const (
	typeField = "_entityType"
	typeAlias = "entity"
)

// isTypeField reports whether a filter is about the entity type.
func isTypeField(field string) bool {
	field = strings.TrimSuffix(field, ".keyword")
	return field == typeField || field == typeAlias
}

// typeSpelled returns the entity type that a value of a filter names in the spelling of the
// schema or of the model, "" if the value names no type.
func typeSpelled(value string) EntityType {
	if t := EntityType(value); t.IsValid() {
		return t
	}
	t, _ := TypeOf(value)
	return t
}

// AllCriteria returns the criteria of a filter that was given in its two forms.
func AllCriteria(or []*AndFilterInput, legacy []*FacetFilterInput) []*FacetFilterInput {
	all := slices.Clone(legacy)
	for _, conjunction := range or {
		all = append(all, conjunction.And...)
	}
	return all
}

// FilterOf combines the two forms of filters.
func FilterOf(or []*AndFilterInput, legacy []*FacetFilterInput) *catalog.Filter {
	f := &catalog.Filter{}
	for _, conjunction := range or {
		f.Or = append(f.Or, catalog.Conjunction{And: criteriaOf(conjunction.And)})
	}
	if len(or) == 0 && len(legacy) > 0 {
		f.Or = []catalog.Conjunction{{And: criteriaOf(legacy)}}
	}
	return f
}

func criteriaOf(inputs []*FacetFilterInput) []catalog.Criterion {
	criteria := make([]catalog.Criterion, len(inputs))
	for i, in := range inputs {
		criteria[i] = catalog.Criterion{
			Field: in.Field, Value: optional.Or(in.Value, ""), Values: in.Values, Negated: optional.Or(in.Negated, false),
			Condition: string(optional.Or(in.Condition, FilterOperatorEqual)),
		}
		if isTypeField(in.Field) {
			criteria[i].Value, criteria[i].Values = "", modelNames(valuesOf(in))
		}
	}
	return criteria
}

// modelNames replaces the names of entity types by their names in the model, and returns other
// texts unchanged.
func modelNames(values []string) []string {
	names := make([]string, len(values))
	for i, value := range values {
		if t := EntityType(value); t.IsValid() {
			value = NameOf(t)
		}
		names[i] = value
	}
	return names
}

// facetsOf returns the fields whose values are counted: none if the caller does not need
// counts.
func facetsOf(ctx context.Context, flags *SearchFlags) []string {
	if flags != nil && optional.Or(flags.SkipAggregates, false) || !selects(ctx, "facets") {
		return []string{}
	}
	return nil
}

// withoutMatches reports whether the caller does not need the fields in which words were found.
// To find these fields takes half the time of a page.
func withoutMatches(ctx context.Context, flags *SearchFlags) bool {
	return flags != nil && optional.Or(flags.SkipHighlighting, false) || !selects(ctx, "searchResults", "matchedFields")
}

// Search finds entities of several types.
func (s *Session) Search(ctx context.Context, input SearchAcrossEntitiesInput) (*SearchResults, error) {
	request, err := s.requestOf(ctx, input)
	if err != nil {
		return nil, err
	}
	found, err := s.search(ctx, shownHits(ctx, request))
	if err != nil {
		return nil, err
	}
	return s.results(request, found, s.NewBatch(), s.NewBatch()), nil
}

// shownHits returns a search without a page of hits if the query selects only the numbers of the answer: the hits would
// be read for nothing. A search as people type keeps its page, because the answer may say how the search read its
// input.
func shownHits(ctx context.Context, r search.Request) search.Request {
	if !r.AsTyped && selectsOnly(ctx, "start", "count", "total", "facets") {
		r.Count = min(r.Count, 0) // a negative count is refused
	}
	return r
}

// requestOf returns the search for an input.
func (s *Session) requestOf(ctx context.Context, input SearchAcrossEntitiesInput) (search.Request, error) {
	view, err := s.URNOrNone(input.ViewUrn)
	request := search.Request{
		Types: s.NamesOf(input.Types, AllCriteria(input.OrFilters, input.Filters)...), Input: input.Query,
		Filter: FilterOf(input.OrFilters, input.Filters), View: view,
		Start: optional.Or(input.Start, 0), Count: optional.Or(input.Count, limits.DefaultSearchPage),
	}
	flagged(ctx, &request, input.SearchFlags, input.SortInput)
	return request, err
}

// flagged applies the flags and the order of a search.
func flagged(ctx context.Context, r *search.Request, flags *SearchFlags, order *SearchSortInput) {
	r.Facets, r.WithoutMatches = facetsOf(ctx, flags), withoutMatches(ctx, flags)
	Flag(r, flags)
	Order(r, order)
}

// Order applies an order, if there is one.
func Order(r *search.Request, order *SearchSortInput) {
	if order == nil {
		return
	}
	criteria := order.SortCriteria
	if len(criteria) == 0 && order.SortCriterion != nil {
		criteria = []*SortCriterion{order.SortCriterion}
	}
	r.ThenBy = nil
	for i, c := range criteria {
		criterion := search.SortCriterion{Field: c.Field, Order: string(c.SortOrder)}
		if i == 0 {
			r.Sort = &criterion
			continue
		}
		r.ThenBy = append(r.ThenBy, criterion)
	}
}

// Flag applies the flags that decide which entities are found and counted.
func Flag(r *search.Request, flags *SearchFlags) {
	if flags == nil {
		return
	}
	r.FacetSize, r.MatchedIn = optional.Or(flags.MaxAggValues, 0), flags.CustomHighlightingFields
	r.IncludeRemoved, r.LatestVersions = optional.Or(flags.IncludeSoftDeleted, false), optional.Or(flags.FilterNonLatestVersions, false)
	r.HiddenStages = optional.Or(flags.IncludeHiddenLifecycleStages, false)
	r.AsTyped = optional.Or(flags.AsTyped, false)
}

// results converts the result of a search to the form of the schema. One batch collects the
// entities found; the other collects the entities that are values of facets.
func (s *Session) results(request search.Request, found *search.Result, entities, values *Batch) *SearchResults {
	return &SearchResults{
		Start: found.Start, Count: request.Count, Total: found.Total,
		SearchResults: hits(found, entities), Facets: facetsIn(found.Facets, values), Typed: typedWords(found.Typed),
	}
}

// typedWords tells how a search as people type read its input.
func typedWords(said *search.TypedWords) *TypedWords {
	if said == nil {
		return nil
	}
	return &TypedWords{Words: texts(said.Words), Kinds: texts(said.Kinds), Without: texts(said.Without), All: said.All}
}

// texts returns a list that is never null.
func texts(list []string) []string { return append([]string{}, list...) }

// Scroll finds all entities page by page.
func (s *Session) Scroll(ctx context.Context, input ScrollAcrossEntitiesInput) (*ScrollResults, error) {
	view, err := s.URNOrNone(input.ViewUrn)
	if err != nil {
		return nil, err
	}
	request := search.Request{
		Types: s.NamesOf(input.Types, AllCriteria(input.OrFilters, nil)...), Input: input.Query, Filter: FilterOf(input.OrFilters, nil), View: view,
		Scroll: true, ScrollID: optional.Or(input.ScrollID, ""), Count: optional.Or(input.Count, limits.DefaultSearchPage),
	}
	flagged(ctx, &request, input.SearchFlags, input.SortInput)
	found, err := s.search(ctx, request)
	if err != nil {
		return nil, err
	}
	results := &ScrollResults{Count: request.Count, Total: found.Total, SearchResults: hits(found, s.NewBatch()), Facets: s.Facets(found.Facets)}
	if found.ScrollID != "" {
		results.NextScrollID = &found.ScrollID
	}
	return results, nil
}

// search waits for the turn of a search, runs it, and counts the hits as items of the answer.
func (s *Session) search(ctx context.Context, request search.Request) (found *search.Result, err error) {
	err = s.turn(ctx, func() (int, error) {
		if found, err = s.Catalog.Search.Search(ctx, request); err != nil {
			return 0, err
		}
		return len(found.Hits), nil
	})
	return found, err
}

func emptyResults(start, count *int) *SearchResults {
	return &SearchResults{
		Start: optional.Or(start, 0), Count: optional.Or(count, limits.DefaultSearchPage), SearchResults: []*SearchResult{}, Facets: []*FacetMetadata{},
	}
}

// hits adds the entities found to a batch.
func hits(found *search.Result, batch *Batch) []*SearchResult {
	results := make([]*SearchResult, 0, len(found.Hits))
	for _, hit := range found.Hits {
		entity := batch.Entity(hit.URN)
		if entity == nil {
			continue
		}
		results = append(results, &SearchResult{Entity: entity, Insights: []*SearchInsight{}, MatchedFields: matchedFields(hit.MatchedFields), Missing: texts(hit.Missing)})
	}
	return results
}

// entitiesIn returns the entities of one type among the results of a search.
func entitiesIn[T Entity](results []*SearchResult) []T {
	entities := make([]T, 0, len(results))
	for _, result := range results {
		if entity, ok := result.Entity.(T); ok {
			entities = append(entities, entity)
		}
	}
	return entities
}

func matchedFields(found []search.MatchedField) []*MatchedField {
	fields := make([]*MatchedField, len(found))
	for i, m := range found {
		fields[i] = &MatchedField{Name: m.Name, Value: m.Value}
	}
	return fields
}

// Facets returns the counts by value, with the entities whose URNs are values.
func (s *Session) Facets(found []search.Facet) []*FacetMetadata {
	return facetsIn(found, s.NewBatch())
}

func facetsIn(found []search.Facet, batch *Batch) []*FacetMetadata {
	facets := []*FacetMetadata{}
	for _, f := range found {
		facet := &FacetMetadata{Field: f.Field, DisplayName: &f.DisplayName, Aggregations: []*AggregationMetadata{}}
		for _, n := range f.Counts {
			a := &AggregationMetadata{Value: n.Value, Count: int64(n.Docs), Entity: batch.Entity(n.Value)}
			if t, ok := TypeOf(n.Value); ok && f.Field == typeField {
				a.Value = string(t)
			}
			facet.Aggregations = append(facet.Aggregations, a)
		}
		facets = append(facets, facet)
	}
	return facets
}
