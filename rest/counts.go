package rest

import "github.com/headwater-io/headwater/catalog/services"

// countHandlers count entities by type.
type countHandlers struct{ catalog *services.Services }

func (h countHandlers) countEntities(c *call) error {
	body, err := readSearchOfType(c)
	if err != nil {
		return err
	}
	counts, err := h.catalog.Search.CountEntities(c.Request.Context(), body.Entities)
	if err != nil {
		return err
	}
	for _, n := range counts { // there is one type
		return c.value(n)
	}
	return c.value(0)
}

func (h countHandlers) countEntitiesOf(c *call) error {
	body, err := readSearch(c)
	if err != nil {
		return err
	}
	counts, err := h.catalog.Search.CountEntities(c.Request.Context(), body.Entities)
	if err != nil {
		return err
	}
	return c.value(counts)
}
