package resolver

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/gql/model"
)

// defaultCount is the size of a page when none is asked for.
const defaultCount = 10

func orElse[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}

// filterOf joins the two forms of filters.
func filterOf(or []*model.AndFilterInput, legacy []*model.FacetFilterInput) *catalog.Filter {
	f := &catalog.Filter{}
	for _, conjunction := range or {
		f.Or = append(f.Or, catalog.Conjunction{And: criteriaOf(conjunction.And)})
	}
	if len(or) == 0 && len(legacy) > 0 {
		f.Or = []catalog.Conjunction{{And: criteriaOf(legacy)}}
	}
	return f
}

func criteriaOf(inputs []*model.FacetFilterInput) []catalog.Criterion {
	criteria := make([]catalog.Criterion, len(inputs))
	for i, in := range inputs {
		criteria[i] = catalog.Criterion{
			Field: in.Field, Value: orElse(in.Value, ""), Values: in.Values, Negated: orElse(in.Negated, false),
			Condition: string(orElse(in.Condition, model.FilterOperatorEqual)),
		}
	}
	return criteria
}

// facetsOf are the fields to count: none when the caller does without them.
func facetsOf(flags *model.SearchFlags) []string {
	if flags != nil && orElse(flags.SkipAggregates, false) {
		return []string{}
	}
	return nil
}

func typesOf(types []model.EntityType) []string {
	if len(types) == 0 {
		types = searchedByDefault
	}
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = nameOf[t]
	}
	return names
}

func hitsOf(found *catalog.SearchResult) []*model.SearchResult {
	results := make([]*model.SearchResult, 0, len(found.Hits))
	for _, hit := range found.Hits {
		entity := entityOf(hit.Type, hit.URN)
		if entity == nil {
			continue
		}
		result := &model.SearchResult{Entity: entity, MatchedFields: []*model.MatchedField{}}
		for _, m := range hit.MatchedFields {
			result.MatchedFields = append(result.MatchedFields, &model.MatchedField{Name: m.Name, Value: m.Value})
		}
		results = append(results, result)
	}
	return results
}

func (r *Resolver) facets(found *catalog.SearchResult) []*model.FacetMetadata {
	facets := []*model.FacetMetadata{}
	for _, f := range found.Facets {
		facet := &model.FacetMetadata{Field: f.Field, DisplayName: &f.DisplayName, Aggregations: []*model.AggregationMetadata{}}
		for _, n := range f.Counts {
			a := &model.AggregationMetadata{Value: n.Value, Count: int64(n.Docs)}
			if t, ok := typeOf[n.Value]; ok && f.Field == "_entityType" {
				a.Value = string(t)
			}
			if entityType, ok := r.Catalog.TypeOf(n.Value); ok {
				a.Entity = entityOf(entityType, n.Value)
			}
			facet.Aggregations = append(facet.Aggregations, a)
		}
		facets = append(facets, facet)
	}
	return facets
}
