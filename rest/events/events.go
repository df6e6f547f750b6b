package events

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
	"github.com/headwater-io/headwater/rest/sse"
)

// eventHandlers serve the change log, page by page and as a stream.
type eventHandlers struct {
	catalog *services.Services
	logger  *slog.Logger
	streams *sse.Places
	// closing is done when the server closes.
	closing context.Context
}

// maxEventWait bounds the parameter wait. It is below the time limit of requests.
const maxEventWait = 30 * time.Second

func (h eventHandlers) events(c *call.Call) error {
	from, err := c.Text("from")
	if err != nil {
		return err
	}
	limit, err := c.Integer("limit", limits.DefaultEvents)
	if err != nil {
		return err
	}
	if limit < 1 || limit > catalog.MaxChanges {
		return catalog.Errorf(catalog.Invalid, "parameter limit must be 1 to %d", catalog.MaxChanges)
	}
	if last := c.GetHeader("Last-Event-ID"); last != "" {
		from = last
	}
	switch from {
	case "now":
		from, err = h.catalog.EndOfChanges(c.Request.Context())
	case "oldest":
		from, err = h.catalog.OldestChanges(c.Request.Context())
	}
	if err != nil {
		return err
	}
	selected, err := h.selection(c)
	if err != nil {
		return err
	}
	if sse.Wanted(c.Request) {
		return h.streamEvents(c, from, int(limit), selected)
	}
	wait, err := c.Integer("wait", 0)
	if err != nil {
		return err
	}
	patience := time.Duration(min(max(wait, 0), int64(maxEventWait/time.Second))) * time.Second
	ctx, cancel := sse.UntilClosing(c, h.closing)
	defer cancel()
	if selected != nil {
		return h.selectedEvents(ctx, c, selected, from, int(limit), patience)
	}
	changes, next, err := h.catalog.AwaitChanges(ctx, from, int(limit), patience)
	if err != nil && ctx.Err() != nil && c.Request.Context().Err() == nil {
		changes, next, err = nil, from, nil // the server is closing, and no change came while the caller waited
	}
	if err != nil {
		return err
	}
	events := make([]streams.ChangeEvent, len(changes))
	for i := range changes {
		events[i] = streams.ChangeEventOf(&changes[i])
	}
	return c.JSON(http.StatusOK, struct {
		Events []streams.ChangeEvent `json:"events"`
		Next   string                `json:"next"`
	}{events, next})
}
