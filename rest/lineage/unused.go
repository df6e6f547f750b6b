package lineage

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog/unused"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/call"
)

func (h lineageHandlers) unused(c *call.Call) error {
	r := &call.Reader{Call: c}
	request := unused.Request{
		Query: call.Argument(r, c.Text, "query"), Days: r.Number("days", limits.DefaultUnusedDays), All: call.Argument(r, c.Boolean, "all"),
		Start: r.Number("start", 0), Count: r.Number("count", limits.DefaultUnusedColumns),
	}
	for name, list := range map[string]*[]model.URN{"datasets": &request.Datasets, "platforms": &request.Platforms} {
		texts := call.Argument(r, c.List, name)
		urns, err := c.URNList(texts)
		if err != nil {
			return err
		}
		*list = urns
	}
	if r.Err != nil {
		return r.Err
	}
	page, err := h.catalog.Unused.Columns(c.Request.Context(), request)
	if err != nil {
		return h.catalog.Search.WithNearest(c.Request.Context(), err)
	}
	return c.JSON(http.StatusOK, page)
}
