package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/headwater-io/headwater/catalog"
)

const (
	defaultEvents = 100
	// maxEventWait bounds ?wait=, below the request time-out.
	maxEventWait = 30 * time.Second
	// heartbeat keeps idle streams open through proxies.
	heartbeat = 15 * time.Second
)

func eventEndpoints() []endpoint {
	return []endpoint{{
		method: http.MethodGet, path: "/events", tag: "Events",
		summary: "The change log after a cursor, in order per entity: as JSON, or with Accept: text/event-stream as a stream that goes on.",
		parameters: []parameter{
			{"from", "string", "a cursor from an earlier answer; empty is the beginning, \"now\" the end", false},
			{"limit", "integer", "100 when left out, at most 1000", false},
			{"wait", "integer", "wait so many seconds, at most 30, for a change to come", false},
		},
		example: example{query: "limit=5"},
		handle:  (*call).events,
	}}
}

// event is a change as it leaves the server.
type event struct {
	Cursor                 string                  `json:"cursor"`
	Time                   int64                   `json:"time"`
	Actor                  string                  `json:"actor"`
	ChangeType             catalog.ChangeKind      `json:"changeType"`
	EntityURN              string                  `json:"entityUrn"`
	EntityType             string                  `json:"entityType"`
	AspectName             string                  `json:"aspectName"`
	Aspect                 json.RawMessage         `json:"aspect,omitempty"`
	SystemMetadata         *catalog.SystemMetadata `json:"systemMetadata,omitempty"`
	PreviousAspect         json.RawMessage         `json:"previousAspectValue,omitempty"`
	PreviousSystemMetadata *catalog.SystemMetadata `json:"previousSystemMetadata,omitempty"`
	// ValuesPruned: a value is left out because retention has removed it.
	ValuesPruned bool `json:"valuesPruned,omitempty"`
}

func eventOf(c *catalog.Change) event {
	return event{
		Cursor: c.Cursor, Time: c.Time, Actor: c.Actor, ChangeType: c.Kind,
		EntityURN: c.URN, EntityType: c.EntityType, AspectName: c.Aspect,
		Aspect: c.Value, SystemMetadata: c.System,
		PreviousAspect: c.Previous, PreviousSystemMetadata: c.PreviousSystem, ValuesPruned: c.ValuesPruned,
	}
}

func wantsStream(c *gin.Context) bool {
	return c.Request.URL.Path == "/events" && strings.Contains(c.GetHeader("Accept"), "text/event-stream")
}

func (c *call) events() error {
	from, err := c.param("from")
	if err != nil {
		return err
	}
	limit, err := c.integer("limit", defaultEvents)
	if err != nil {
		return err
	}
	if limit < 1 || limit > catalog.MaxChanges {
		return catalog.Errorf(catalog.Invalid, "parameter limit must be 1 to %d", catalog.MaxChanges)
	}
	if last := c.GetHeader("Last-Event-ID"); last != "" {
		from = last
	}
	if from == "now" {
		if from, err = c.catalog.EndOfChanges(c.Request.Context()); err != nil {
			return err
		}
	}
	if wantsStream(c.Context) {
		return c.streamEvents(from, int(limit))
	}
	wait, err := c.integer("wait", 0)
	if err != nil {
		return err
	}
	patience := time.Duration(min(max(wait, 0), int64(maxEventWait/time.Second))) * time.Second
	ctx, cancel := c.untilClosing()
	defer cancel()
	changes, next, err := c.catalog.AwaitChanges(ctx, from, int(limit), patience)
	if err != nil && ctx.Err() != nil && c.Request.Context().Err() == nil {
		changes, next, err = nil, from, nil // the server closes: nothing came while it was waited for
	}
	if err != nil {
		return err
	}
	events := make([]event, len(changes))
	for i := range changes {
		events[i] = eventOf(&changes[i])
	}
	return c.json(http.StatusOK, struct {
		Events []event `json:"events"`
		Next   string  `json:"next"`
	}{events, next})
}

// untilClosing is the request's context, which ends too when the server closes.
func (c *call) untilClosing() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(c.Request.Context())
	go func() {
		select {
		case <-c.Closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
