package rest

import (
	"net/http"
	"time"

	"github.com/headwater-io/headwater/catalog/replica"
	"github.com/headwater-io/headwater/internal/limits"
)

// replicaHandlers serve what replicas read, and tell how this one is.
type replicaHandlers struct{ eventHandlers }

func (h replicaHandlers) status(c *call) error {
	status, is := h.catalog.Replica.Status()
	return c.json(http.StatusOK, struct {
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

func (h replicaHandlers) changes(c *call) error {
	from, err := c.param("from")
	if err != nil {
		return err
	}
	limit, err := c.integer("limit", limits.DefaultReplicaChanges)
	if err != nil {
		return err
	}
	wait, err := c.integer("wait", 0)
	if err != nil {
		return err
	}
	ctx, cancel := h.untilClosing(c)
	defer cancel()
	page, err := h.catalog.Replica.Page(ctx, from, int(limit), time.Duration(min(max(wait, 0), int64(maxEventWait/time.Second)))*time.Second)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, page)
}

func (h replicaHandlers) series(c *call) error {
	urn, err := c.required("urn")
	if err != nil {
		return err
	}
	aspect, err := c.required("aspect")
	if err != nil {
		return err
	}
	key, err := c.param("afterKey")
	if err != nil {
		return err
	}
	moment, err := c.integer("afterTime", 0)
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
	return c.json(http.StatusOK, series)
}
