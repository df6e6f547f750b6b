package operations

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog/failed"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// failedHandlers list proposals of other sources that could not be written.
type failedHandlers struct{ catalog *services.Services }

// failedAnswer is a page of proposals that could not be written.
type failedAnswer struct {
	Proposals []failed.Proposal `json:"proposals"`
	// Next is the value of the parameter after for the next page, absent on the last page.
	Next string `json:"next,omitempty"`
}

func (h failedHandlers) list(c *call.Call) error {
	after, err := c.Text("after")
	if err != nil {
		return err
	}
	limit, err := c.Integer("limit", limits.DefaultFailedPage)
	if err != nil {
		return err
	}
	proposals, next, err := h.catalog.Failed.List(c.Request.Context(), after, int(limit))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, failedAnswer{proposals, next})
}
