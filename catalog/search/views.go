package search

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/model"
)

// viewedScope returns the scope of a search, narrowed by a saved view if the request names one.
func (s *Service) viewedScope(ctx context.Context, types []string, view model.URN) (*searchScope, error) {
	scope, err := s.searchScope(types)
	if err != nil {
		return nil, err
	}
	scope.warnings = warningsOf(ctx)
	if err := s.hideStages(ctx, scope); err != nil {
		return nil, err
	}
	return scope, s.throughView(ctx, scope, view)
}

// throughView narrows a search by a saved view: by the filter of the view and, if the view has
// entity types, by these types.
func (s *Service) throughView(ctx context.Context, scope *searchScope, urn model.URN) error {
	if urn.IsZero() {
		return nil
	}
	stored, err := s.reader.Aspect(ctx, urn, model.AspectDataHubViewInfo, 0)
	if err != nil {
		return err
	}
	var view struct {
		Definition struct {
			EntityTypes []string       `json:"entityTypes"`
			Filter      catalog.Filter `json:"filter"`
		} `json:"definition"`
	}
	if err := json.Unmarshal(stored.Value, &view); err != nil {
		return catalog.Errorf(catalog.Internal, "the view %s: %w", urn, err)
	}
	names := view.Definition.EntityTypes
	shown := slices.DeleteFunc(slices.Clone(scope.types), func(t string) bool {
		return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool { return scope.typeName(name) == t })
	})
	if len(names) > 0 {
		scope.view = append(scope.view, indexer.In{Field: indexer.FieldType, Values: shown})
	}
	if len(shown) == 0 {
		return nil // the view has none of the types of the search
	}
	within := &searchScope{schema: scope.schema, registry: scope.registry, types: shown}
	known, possible := within.withoutUnknown(&view.Definition.Filter)
	if !possible {
		scope.view = append(scope.view, indexer.Or{})
		return nil
	}
	filter, err := within.filter(known, showAll)
	if err != nil {
		return err
	}
	scope.view = append(scope.view, filter)
	return nil
}

// withoutUnknown removes from a filter the criteria on fields that none of the types has. Such
// a criterion always holds if it asks for the absence of a value, and otherwise never.
// withoutUnknown also reports whether any entity can pass the filter.
func (s *searchScope) withoutUnknown(f *catalog.Filter) (*catalog.Filter, bool) {
	known, alternatives := &catalog.Filter{}, f.Conjunctions()
	for _, conjunction := range alternatives {
		var all []catalog.Criterion
		possible := true
		for _, c := range conjunction.And {
			switch {
			case len(s.fields(fieldName(c.Field))) > 0 || c.Field == "":
				all = append(all, c)
			case c.Negated == (c.Condition == catalog.CondIsNull):
				possible = false
			}
		}
		if possible {
			known.Or = append(known.Or, catalog.Conjunction{And: all})
		}
	}
	return known, len(known.Or) > 0 || len(alternatives) == 0
}
