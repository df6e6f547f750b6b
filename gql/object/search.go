package object

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
)

// DefaultCount is the size of a page of a search when none is asked for.
const DefaultCount = 10

// searchedByDefault are the types that a search without types looks into.
var searchedByDefault = []EntityType{
	EntityTypeDataset, EntityTypeDashboard, EntityTypeChart, EntityTypeMlmodel, EntityTypeMlmodelGroup,
	EntityTypeMlfeatureTable, EntityTypeMlfeature, EntityTypeMlprimaryKey, EntityTypeDataFlow, EntityTypeDataJob,
	EntityTypeGlossaryTerm, EntityTypeGlossaryNode, EntityTypeTag, EntityTypeCorpUser, EntityTypeCorpGroup,
	EntityTypeContainer, EntityTypeDomain, EntityTypeDataProduct, EntityTypeNotebook,
}

// NamesOf are the model's names of entity types, of those that people search
// for when there are none.
func NamesOf(types []EntityType) []string {
	if len(types) == 0 {
		types = searchedByDefault
	}
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = NameOf(t)
	}
	return names
}

// FilterOf joins the two forms of filters.
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
			Field: in.Field, Value: Or(in.Value, ""), Values: in.Values, Negated: Or(in.Negated, false),
			Condition: string(Or(in.Condition, FilterOperatorEqual)),
		}
	}
	return criteria
}

// facetsOf are the fields to count: none when the caller does without them.
func facetsOf(ctx context.Context, flags *SearchFlags) []string {
	if flags != nil && Or(flags.SkipAggregates, false) || !selects(ctx, "facets") {
		return []string{}
	}
	return nil
}

// withoutMatches reports whether nobody wants to know in which fields words
// were found: finding that out takes half the time of a page.
func withoutMatches(ctx context.Context, flags *SearchFlags) bool {
	return flags != nil && Or(flags.SkipHighlighting, false) || !selects(ctx, "searchResults", "matchedFields")
}

// Search finds entities of several types.
func (s *Session) Search(ctx context.Context, input SearchAcrossEntitiesInput) (*SearchResults, error) {
	request, err := s.requestOf(ctx, input)
	if err != nil {
		return nil, err
	}
	found, err := s.search(ctx, request)
	if err != nil {
		return nil, err
	}
	return s.results(request, found, s.NewBatch(), s.NewBatch()), nil
}

// requestOf is the search that an input asks for.
func (s *Session) requestOf(ctx context.Context, input SearchAcrossEntitiesInput) (search.Request, error) {
	view, err := s.URNOrNone(input.ViewUrn)
	return search.Request{
		Types: NamesOf(input.Types), Input: input.Query, Filter: FilterOf(input.OrFilters, input.Filters), View: view,
		Start: Or(input.Start, 0), Count: Or(input.Count, DefaultCount), Facets: facetsOf(ctx, input.SearchFlags),
		WithoutMatches: withoutMatches(ctx, input.SearchFlags),
	}, err
}

// results write what was found as the schema has it. The batches take the
// entities found and those that values of facets are.
func (s *Session) results(request search.Request, found *search.Result, entities, values *Batch) *SearchResults {
	return &SearchResults{
		Start: found.Start, Count: request.Count, Total: found.Total,
		SearchResults: hits(found, entities), Facets: facetsIn(found.Facets, values),
	}
}

// Scroll finds all entities page by page.
func (s *Session) Scroll(ctx context.Context, input ScrollAcrossEntitiesInput) (*ScrollResults, error) {
	view, err := s.URNOrNone(input.ViewUrn)
	if err != nil {
		return nil, err
	}
	request := search.Request{
		Types: NamesOf(input.Types), Input: input.Query, Filter: FilterOf(input.OrFilters, nil), View: view,
		Scroll: true, ScrollID: Or(input.ScrollID, ""), Count: Or(input.Count, DefaultCount), Facets: facetsOf(ctx, input.SearchFlags),
		WithoutMatches: withoutMatches(ctx, input.SearchFlags),
	}
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

// search asks the catalog when it is its turn, and counts the hits.
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
		Start: Or(start, 0), Count: Or(count, DefaultCount), SearchResults: []*SearchResult{}, Facets: []*FacetMetadata{},
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
		results = append(results, &SearchResult{Entity: entity, Insights: []*SearchInsight{}, MatchedFields: matchedFields(hit.MatchedFields)})
	}
	return results
}

func matchedFields(found []search.MatchedField) []*MatchedField {
	fields := make([]*MatchedField, len(found))
	for i, m := range found {
		fields[i] = &MatchedField{Name: m.Name, Value: m.Value}
	}
	return fields
}

// Facets are counts by value, with the entities that values are.
func (s *Session) Facets(found []search.Facet) []*FacetMetadata {
	return facetsIn(found, s.NewBatch())
}

func facetsIn(found []search.Facet, batch *Batch) []*FacetMetadata {
	facets := []*FacetMetadata{}
	for _, f := range found {
		facet := &FacetMetadata{Field: f.Field, DisplayName: &f.DisplayName, Aggregations: []*AggregationMetadata{}}
		for _, n := range f.Counts {
			a := &AggregationMetadata{Value: n.Value, Count: int64(n.Docs), Entity: batch.Entity(n.Value)}
			if t, ok := TypeOf(n.Value); ok && f.Field == "_entityType" {
				a.Value = string(t)
			}
			facet.Aggregations = append(facet.Aggregations, a)
		}
		facets = append(facets, facet)
	}
	return facets
}
