package search

import (
	"context"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/model"
)

// checkProperties fails if a filter names a soft-deleted structured property. The values of
// such a property are not shown, so nobody could see why an entity is found.
func (s *Service) checkProperties(ctx context.Context, f *catalog.Filter) error {
	if f == nil {
		return nil
	}
	if err := f.Check(); err != nil {
		return err
	}
	var urns []model.URN
	for _, conjunction := range f.Conjunctions() {
		for i := range conjunction.And {
			urns = append(urns, s.propertiesOf(fieldName(conjunction.And[i].Field))...)
		}
	}
	if len(urns) == 0 {
		return nil
	}
	found, err := s.reader.Entities(ctx, catalog.Distinct(urns), []string{model.AspectStatus})
	if err != nil {
		return err
	}
	for _, u := range urns {
		status, ok := found[u.String()].Aspects[model.AspectStatus]
		if !ok {
			continue
		}
		tree, err := catalog.TreeOf(status.Value)
		if err != nil {
			return err
		}
		if tree["removed"] == true {
			return catalog.Errorf(catalog.Invalid, "Cannot filter on deleted Structured Property %s: its status is removed", u)
		}
	}
	return nil
}

// propertiesOf returns the structured properties whose values a field has, one for each
// dialect.
func (s *Service) propertiesOf(field string) []model.URN {
	if !indexer.IsStructured(field) {
		return nil
	}
	_, id, _ := strings.Cut(field, ".")
	var urns []model.URN
	for _, d := range s.registry.Dialects() {
		if u, err := model.BuildURN(d.Namespace, model.EntityStructuredProperty, id); err == nil {
			urns = append(urns, u)
		}
	}
	return urns
}

// HoldersOf returns up to count entities, of all types, that have values of a structured
// property, including soft-deleted entities.
func (s *Service) HoldersOf(ctx context.Context, property model.URN, count int) ([]model.URN, error) {
	var types []string
	for _, e := range s.registry.Entities() {
		if e.Has(model.AspectStructuredProperties) {
			types = append(types, e.Name)
		}
	}
	found, err := s.searchExisting(ctx, &indexer.Query{
		Filter: indexer.And{
			indexer.In{Field: indexer.FieldType, Values: types},
			indexer.Exists{Field: indexer.ListField(model.AspectStructuredProperties, property.Key())},
		},
		Size: count, Plain: true,
	})
	if err != nil {
		return nil, err
	}
	urns := make([]model.URN, len(found.Hits))
	for i := range found.Hits {
		urns[i] = model.StoredURN(found.Hits[i].URN)
	}
	return urns, nil
}
