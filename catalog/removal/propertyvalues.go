package removal

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// Holders finds some of the entities that have values of a structured property.
type Holders func(ctx context.Context, property model.URN, count int) ([]model.URN, error)

// FindHolders sets the function that finds entities with values of a structured property. It is
// called before the service is used.
func (s *Service) FindHolders(find Holders) { s.holders = find }

// RemoveValues removes the values of a structured property from all entities, page by
// page. It may be repeated after a failure.
func (s *Service) RemoveValues(ctx context.Context, property model.URN, o catalog.WriteOptions) error {
	if s.holders == nil {
		return nil
	}
	is := s.names.Names(property)
	before := map[model.URN]bool{}
	for {
		urns, err := s.holders(ctx, property, ReferencePage)
		if err != nil || len(urns) == 0 {
			return err
		}
		if !slices.ContainsFunc(urns, func(u model.URN) bool { return !before[u] }) {
			return catalog.Errorf(catalog.Busy, "the search index does not have the latest changes yet, which tell who has values of %s", property)
		}
		clear(before)
		edits := make([]write.Edit, len(urns))
		for i, u := range urns {
			before[u] = true
			edits[i] = write.Edit{URN: u, Aspect: model.AspectStructuredProperties, OrDelete: true, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
				return dropProperty(value, is)
			}}
		}
		if err := s.writer.EditWith(ctx, edits, nil, o); err != nil {
			return err
		}
	}
}

// dropProperty removes the values of one property from an aspect with structured properties.
func dropProperty(value catalog.Tree, is func(any) bool) error {
	entries := jsontree.Items(value, "properties")
	others := make([]jsontree.Object, 0, len(entries))
	for _, entry := range entries {
		if !is(entry["propertyUrn"]) {
			others = append(others, entry)
		}
	}
	switch {
	case len(others) == len(entries):
		return nil
	case len(others) == 0:
		return write.ErrNothingLeft
	}
	jsontree.SetItems(value, "properties", others)
	return nil
}
