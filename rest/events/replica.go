package events

import (
	"net/http"
	"time"

	"github.com/headwater-io/headwater/catalog/replica"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
	"github.com/headwater-io/headwater/rest/sse"
)

// replicaHandlers serve the log that replicas read, and the state of this server as a
// replica.
type replicaHandlers struct{ eventHandlers }

func (h replicaHandlers) status(c *call.Call) error {
	status, is := h.catalog.Replica.Status()
	return c.JSON(http.StatusOK, struct {
		Replica bool `json:"replica"`
		*replica.Status
	}{is, orNone(status, is)})
}

func orNone[T any](value T, is bool) *T {
	if !is {
		return nil
	}
	return &value
}

func (h replicaHandlers) changes(c *call.Call) error {
	from, err := c.Text("from")
	if err != nil {
		return err
	}
	limit, err := c.Integer("limit", limits.DefaultReplicaChanges)
	if err != nil {
		return err
	}
	wait, err := c.Integer("wait", 0)
	if err != nil {
		return err
	}
	ctx, cancel := sse.UntilClosing(c, h.closing)
	defer cancel()
	page, err := h.catalog.Replica.Page(ctx, from, int(limit), time.Duration(min(max(wait, 0), int64(maxEventWait/time.Second)))*time.Second)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, page)
}

func (h replicaHandlers) series(c *call.Call) error {
	urn, err := c.Required("urn")
	if err != nil {
		return err
	}
	aspect, err := c.Required("aspect")
	if err != nil {
		return err
	}
	key, err := c.Text("afterKey")
	if err != nil {
		return err
	}
	moment, err := c.Integer("afterTime", 0)
	if err != nil {
		return err
	}
	var after *replica.Position
	if key != "" {
		after = &replica.Position{Timestamp: moment, Key: key}
	}
	series, err := h.catalog.Replica.SeriesAfter(c.Request.Context(), urn, aspect, after)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, series)
}
