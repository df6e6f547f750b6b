package events

import (
	"net/http"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
	"github.com/headwater-io/headwater/rest/sse"
)

// pollHandlers serve the events of topics to callers that poll.
type pollHandlers struct {
	eventHandlers
	form func(event *streams.Event) (string, error)
}

// polledEvent is an event in the form of its topic.
type polledEvent struct {
	ContentType string `json:"contentType"`
	Value       string `json:"value"`
}

func (h pollHandlers) poll(c *call.Call) error {
	if h.form == nil {
		return catalog.Errorf(catalog.Unavailable, "this server has no events of topics")
	}
	r := &call.Reader{Call: c}
	q := streams.Poll{
		Topic: call.Argument(r, c.Required, "topic"), Offset: call.Argument(r, c.Text, "offsetId"), Limit: r.Number("limit", limits.DefaultEvents),
		Wait: time.Duration(r.Number("pollTimeoutSeconds", limits.PollSeconds)) * time.Second,
		Days: r.Number("lookbackWindowDays", 0),
	}
	if r.Err != nil {
		return r.Err
	}
	ctx, cancel := sse.UntilClosing(c, h.closing)
	defer cancel()
	events, offset, err := h.catalog.Streams.Poll(ctx, h.catalog, q)
	if err != nil && ctx.Err() != nil && c.Request.Context().Err() == nil && q.Offset != "" {
		events, offset, err = nil, q.Offset, nil // the server is closing, and no event came while the caller waited
	}
	if err != nil {
		return err
	}
	polled := make([]polledEvent, len(events))
	for i := range events {
		text, err := h.form(&events[i])
		if err != nil {
			return err
		}
		polled[i], events[i] = polledEvent{"application/json", text}, streams.Event{}
	}
	return c.JSON(http.StatusOK, struct {
		Offset string        `json:"offsetId"`
		Count  int           `json:"count"`
		Events []polledEvent `json:"events"`
	}{offset, len(polled), polled})
}
