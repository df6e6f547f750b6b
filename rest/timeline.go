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

// entityAt answers with an entity as it was at a moment.
func (h timelineHandlers) entityAt(c *call) error {
	r := &reader{call: c}
	urn, at, aspects := argument(r, c.urnTail, "/entity-at"), argument(r, c.moment, "asOf"), argument(r, c.list, "aspects")
	if r.err != nil {
		return r.err
	}
	past, err := h.catalog.History.At(c.Request.Context(), urn, at, aspects)
	if err != nil {
		return h.catalog.Search.WithNearest(c.Request.Context(), err)
	}
	return c.json(http.StatusOK, past)
}

func (h timelineHandlers) answer(c *call, path string) error {
	r := &reader{call: c}
	request := history.TimelineRequest{
		URN: argument(r, c.urnTail, path), Categories: argument(r, c.list, "categories"),
		Start: argument(r, c.moment, "startTime"), End: argument(r, c.moment, "endTime"), Raw: argument(r, c.boolean, "raw"),
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
