package history

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/rest/call"
)

// timelineHandlers return the history of an entity.
type timelineHandlers struct{ catalog *services.Services }

// timeline returns the handler of the timelines below a path.
func (h timelineHandlers) timeline(path string) func(*call.Call) error {
	return func(c *call.Call) error { return h.answer(c, path) }
}

// entityAt answers with the state of an entity at a moment.
func (h timelineHandlers) entityAt(c *call.Call) error {
	r := &call.Reader{Call: c}
	urn, at, aspects := call.Argument(r, c.URNTail, "/entity-at"), call.Argument(r, c.Moment, "asOf"), call.Argument(r, c.List, "aspects")
	withNames := call.Argument(r, c.Boolean, "names")
	if r.Err != nil {
		return r.Err
	}
	past, err := h.catalog.History.At(c.Request.Context(), urn, at, aspects)
	if err != nil {
		return h.catalog.Search.WithNearest(c.Request.Context(), err)
	}
	answer := pastEntity{PastEntity: past}
	if !withNames {
		return c.JSON(http.StatusOK, answer)
	}
	names, err := h.catalog.Moments.NamesIn(c.Request.Context(), past)
	if err != nil {
		return err
	}
	answer.Names = make(map[string]nameAt, len(names))
	for urn, n := range names {
		answer.Names[urn] = nameAt{n.Name, n.Exists, n.Removed, n.AsOfToday}
	}
	return c.JSON(http.StatusOK, answer)
}

func (h timelineHandlers) answer(c *call.Call, path string) error {
	r := &call.Reader{Call: c}
	request := history.TimelineRequest{
		URN: call.Argument(r, c.URNTail, path), Categories: call.Argument(r, c.List, "categories"),
		Start: call.Argument(r, c.Moment, "startTime"), End: call.Argument(r, c.Moment, "endTime"), Raw: call.Argument(r, c.Boolean, "raw"),
	}
	if r.Err != nil {
		return r.Err
	}
	transactions, err := h.catalog.History.Timeline(c.Request.Context(), request)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, transactions)
}
