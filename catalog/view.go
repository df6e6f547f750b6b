package catalog

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/indexer"
)

// viewAspect says what a saved view shows.
const viewAspect = "dataHubViewInfo"

// viewedScope is the scope of a search through a saved view, if there is one.
func (c *Catalog) viewedScope(ctx context.Context, types []string, view string) (*searchScope, error) {
	scope, err := c.scope(types)
	if err != nil {
		return nil, err
	}
	scope.warnings = warningsOf(ctx)
	return scope, c.throughView(ctx, scope, view)
}

// throughView makes a search look through a saved view: at its entity types,
// when it names some, and with its filter.
func (c *Catalog) throughView(ctx context.Context, s *searchScope, urn string) error {
	if urn == "" {
		return nil
	}
	stored, err := c.Aspect(ctx, urn, viewAspect, 0)
	if err != nil {
		return err
	}
	var view struct {
		Definition struct {
			EntityTypes []string `json:"entityTypes"`
			Filter      Filter   `json:"filter"`
		} `json:"definition"`
	}
	if err := json.Unmarshal(stored.Value, &view); err != nil {
		return Errorf(Internal, "the view %s: %w", urn, err)
	}
	if names := view.Definition.EntityTypes; len(names) > 0 {
		shown := slices.DeleteFunc(slices.Clone(s.types), func(t string) bool {
			return !slices.ContainsFunc(names, func(name string) bool { return s.typeName(name) == t })
		})
		s.view = append(s.view, indexer.In{Field: indexer.FieldType, Values: shown})
	}
	filter, err := s.filter(&view.Definition.Filter)
	if err != nil {
		return err
	}
	s.view = append(s.view, filter)
	return nil
}
