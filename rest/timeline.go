package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/services"
)

// timelineHandlers return the history of an entity.
type timelineHandlers struct{ catalog *services.Services }

// timeline answers under a path.
func (h timelineHandlers) timeline(path string) func(*call) error {
	return func(c *call) error { return h.answer(c, path) }
}

func (h timelineHandlers) answer(c *call, path string) error {
	r := &reader{call: c}
	request := history.TimelineRequest{
		URN: read(r, c.urnTail, path), Categories: read(r, c.list, "categories"),
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
