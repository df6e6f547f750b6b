package search

import (
	"context"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// containing has, for each entity type, the field that names the container of an entity.
var containing = map[string]string{
	model.EntityContainer: "container", model.EntityDomain: "parentDomain",
	model.EntityGlossaryNode: "parentNode", model.EntityGlossaryTerm: "parentNode",
}

// maxLevels bounds the levels of containers that are followed.
const maxLevels = 100

// withRelated expands criteria that ask also for entities inside or around their values: the
// expanded criteria list the URNs of all of these.
func (s *Service) withRelated(ctx context.Context, f *catalog.Filter) (*catalog.Filter, error) {
	err := s.checkProperties(ctx, f)
	expanded := func(criteria []catalog.Criterion) []catalog.Criterion {
		criteria = slices.Clone(criteria)
		for i := range criteria {
			c := &criteria[i]
			down := c.Condition == catalog.CondDescendants || c.Condition == catalog.CondRelated
			up := c.Condition == catalog.CondAncestors || c.Condition == catalog.CondRelated
			if err == nil && (down || up) {
				c.Values, err = s.related(ctx, c.Operands(), down, up)
				c.Value, c.Condition = "", catalog.CondEqual
			}
		}
		return criteria
	}
	if f == nil {
		return nil, nil
	}
	whole := &catalog.Filter{Criteria: expanded(f.Criteria)}
	for _, conjunction := range f.Or {
		whole.Or = append(whole.Or, catalog.Conjunction{And: expanded(conjunction.And)})
	}
	return whole, err
}

// related returns the URNs together with the URNs of entities inside them, around them, or
// both.
func (s *Service) related(ctx context.Context, urns []string, down, up bool) ([]string, error) {
	all := slices.Clone(urns)
	for _, follow := range []struct {
		wanted bool
		step   func(ctx context.Context, urns []string) ([]string, error)
	}{{down, s.contents}, {up, s.containers}} {
		frontier := urns
		for level := 0; follow.wanted && len(frontier) > 0 && level < maxLevels; level++ {
			next, err := follow.step(ctx, frontier)
			if err != nil {
				return nil, err
			}
			frontier = slices.DeleteFunc(next, func(urn string) bool { return slices.Contains(all, urn) })
			if all = append(all, frontier...); len(all) > limits.MaxFilterValues {
				return nil, catalog.Errorf(catalog.Invalid, "the values of a criterion stand for more than %d entities", limits.MaxFilterValues)
			}
		}
	}
	return all, nil
}

// contents returns the containers, domains, nodes and terms that are directly inside the given
// entities.
func (s *Service) contents(ctx context.Context, urns []string) ([]string, error) {
	var any indexer.Or
	for _, entityType := range slices.Sorted(maps.Keys(containing)) {
		any = append(any, indexer.And{
			indexer.In{Field: indexer.FieldType, Values: []string{entityType}}, indexer.In{Field: containing[entityType], Values: urns},
		})
	}
	found, err := s.searchIndex(ctx, &indexer.Query{Filter: any, Size: limits.MaxFilterValues + 1, Plain: true})
	if err != nil {
		return nil, err
	}
	inside := make([]string, len(found.Hits))
	for i := range found.Hits {
		inside[i] = found.Hits[i].URN
	}
	return inside, nil
}

// containers returns the direct containers of the given entities.
func (s *Service) containers(ctx context.Context, urns []string) ([]string, error) {
	found, err := s.searchIndex(ctx, &indexer.Query{Filter: indexer.In{Field: indexer.FieldURN, Values: urns}, Size: len(urns)})
	if err != nil {
		return nil, err
	}
	var around []string
	for i := range found.Hits {
		hit := &found.Hits[i]
		for _, urn := range hit.Values[containing[hit.Type]] {
			if !slices.Contains(around, urn) {
				around = append(around, urn)
			}
		}
	}
	return around, nil
}
