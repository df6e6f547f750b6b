package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/services"
)

// timelineHandlers return the history of an entity.
type timelineHandlers struct{ catalog *services.Services }

func (h timelineHandlers) timeline(c *call) error {
	r := &reader{call: c}
	request := history.TimelineRequest{
		URN: read(r, c.urnTail, "/openapi/timeline/v1"), Categories: read(r, c.list, "categories"),
		Start: read(r, c.moment, "startTime"), End: read(r, c.moment, "endTime"), Raw: read(r, c.boolean, "raw"),
	}
	if r.err != nil {
		return r.err
	}
	transactions, err := h.catalog.History.Timeline(c.Request.Context(), request)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, transactions)
}
