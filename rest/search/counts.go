package search

import (
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/rest/call"
)

// countHandlers count entities by type.
type countHandlers struct{ catalog *services.Services }

func (h countHandlers) countEntities(c *call.Call) error {
	body, err := readSearchOfType(c)
	if err != nil {
		return err
	}
	counts, err := h.catalog.Search.CountEntities(c.Request.Context(), body.Entities)
	if err != nil {
		return err
	}
	for _, n := range counts { // the request names one type, so there is one count
		return c.Answer(n)
	}
	return c.Answer(0)
}

func (h countHandlers) countEntitiesOf(c *call.Call) error {
	body, err := readSearch(c)
	if err != nil {
		return err
	}
	counts, err := h.catalog.Search.CountEntities(c.Request.Context(), body.Entities)
	if err != nil {
		return err
	}
	return c.Answer(counts)
}
