package search

import (
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/model"
)

// facetSize bounds the values of a facet that are returned.
const facetSize = 20

// facetSizeOf returns the number of values of a facet to return, given the requested number.
func facetSizeOf(wanted int) int {
	if wanted <= 0 {
		return facetSize
	}
	return min(wanted, facetSize)
}

// facets returns the fields to count: the requested fields, or the facets of the model if
// wanted is nil.
func (s *searchScope) facets(wanted []string) ([]string, error) {
	known := s.namesOf(func(f *indexer.Field) bool { return f.Facet })
	if wanted == nil {
		return known, nil
	}
	if err := catalog.TooMany("facets", len(wanted), limits.MaxFacets); err != nil {
		return nil, err
	}
	names := make([]string, 0, len(wanted))
	for _, name := range wanted {
		name = fieldName(name)
		if f, ok := s.field(name); !slices.Contains(known, name) && (!ok || !f.Structured) {
			return nil, catalog.Errorf(catalog.Invalid, "the field %q is not a facet%s", name, nearest.Among(name, known, "facets"))
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// facetName returns the label of a facet. The label of a structured property is the display
// name in its definition.
func (s *Service) facetName(ctx context.Context, scope *searchScope, field string) string {
	if !indexer.IsStructured(field) {
		return scope.displayName(field)
	}
	_, id, _ := strings.Cut(field, ".")
	for _, d := range s.registry.Dialects() {
		u, err := model.BuildURN(d.Namespace, model.EntityStructuredProperty, id)
		if err != nil {
			continue
		}
		definition, err := s.reader.Aspect(ctx, u, model.AspectPropertyDefinition, graphstore.LatestVersion)
		if err != nil {
			continue // a property without a definition has the name of its field
		}
		if tree, err := catalog.TreeOf(definition.Value); err == nil && jsontree.Text(tree, "displayName") != "" {
			return jsontree.Text(tree, "displayName")
		}
		return id
	}
	return field
}

// displayName returns the label of a facet in the model.
func (s *searchScope) displayName(field string) string {
	for _, t := range s.types {
		if f, ok := s.schema.Field(t, field); ok && f.Facet {
			return f.DisplayName
		}
	}
	return field
}
