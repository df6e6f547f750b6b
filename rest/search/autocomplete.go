package search

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// autocompleteHandlers complete names.
type autocompleteHandlers struct{ catalog *services.Services }

func (h autocompleteHandlers) autocomplete(c *call.Call) error {
	body := struct {
		Query  *string         `json:"query"`
		Entity string          `json:"entity"`
		Field  string          `json:"field"`
		Limit  call.Int        `json:"limit"`
		Filter *catalog.Filter `json:"filter"`
	}{Limit: limits.DefaultSearchPage}
	if err := c.Body(&body); err != nil {
		return err
	}
	if body.Query == nil || body.Entity == "" {
		return catalog.Errorf(catalog.Invalid, "parameters query and entity are required")
	}
	found, err := h.catalog.Search.Autocomplete(c.Request.Context(), search.AutocompleteRequest{
		Types: []string{body.Entity}, Query: *body.Query, Field: body.Field, Filter: body.Filter, Limit: int(body.Limit),
	})
	if err != nil {
		return err
	}
	type entity struct {
		URN string `json:"urn"`
	}
	entities := make([]entity, len(found.Hits))
	for i, hit := range found.Hits {
		entities[i] = entity{hit.URN}
	}
	return c.Answer(map[string]any{"query": *body.Query, "suggestions": found.Texts, "entities": entities})
}
