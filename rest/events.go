package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
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
	Cursor                 string                     `json:"cursor"`
	Time                   int64                      `json:"time"`
	Actor                  string                     `json:"actor"`
	ChangeType             graphstore.ChangeKind      `json:"changeType"`
	EntityURN              string                     `json:"entityUrn"`
	EntityType             string                     `json:"entityType"`
	AspectName             string                     `json:"aspectName"`
	Aspect                 json.RawMessage            `json:"aspect,omitempty"`
	SystemMetadata         *graphstore.SystemMetadata `json:"systemMetadata,omitempty"`
	PreviousAspect         json.RawMessage            `json:"previousAspectValue,omitempty"`
	PreviousSystemMetadata *graphstore.SystemMetadata `json:"previousSystemMetadata,omitempty"`
	// ValuesPruned: a value is left out because retention has removed it.
	ValuesPruned bool `json:"valuesPruned,omitempty"`
}

func eventOf(c *graphstore.Change) event {
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
	patience := min(max(time.Duration(wait)*time.Second, 0), maxEventWait)
	changes, next, err := c.catalog.AwaitChanges(c.Request.Context(), from, int(limit), patience)
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

// streamEvents sends changes as server-sent events until the client goes or
// the server closes. Each event's id is its cursor, so that a client that
// comes back goes on where it was.
func (c *call) streamEvents(from string, limit int) error {
	changes, next, err := c.catalog.Changes(c.Request.Context(), from, limit)
	if err != nil {
		return err
	}
	control := http.NewResponseController(c.Writer)
	_ = control.SetWriteDeadline(time.Time{}) // not every writer has deadlines
	c.Header("Content-Type", "text/event-stream")
	c.Header("Cache-Control", "no-cache")
	c.Status(http.StatusOK)
	if _, err := fmt.Fprint(c.Writer, ": stream of changes\n\n"); err != nil {
		return nil //nolint:nilerr // the client went away
	}
	ctx, cancel := context.WithCancel(c.Request.Context())
	defer cancel()
	go func() {
		select {
		case <-c.Closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	for {
		if err := c.writeEvents(changes); err != nil {
			return nil //nolint:nilerr // the client went away
		}
		if err := control.Flush(); err != nil {
			return nil //nolint:nilerr // the client went away
		}
		if ctx.Err() != nil {
			return nil
		}
		if changes, next, err = c.catalog.AwaitChanges(ctx, next, limit, heartbeat); err != nil {
			c.logger.WarnContext(c.Request.Context(), "event stream ended", "error", err)
			return nil
		}
	}
}

func (c *call) writeEvents(changes []graphstore.Change) error {
	if len(changes) == 0 {
		_, err := fmt.Fprint(c.Writer, ": alive\n\n")
		return err
	}
	for i := range changes {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(eventOf(&changes[i])); err != nil {
			return err
		}
		// Encoded JSON has no line breaks inside; the encoder ends the line.
		if _, err := fmt.Fprintf(c.Writer, "id: %s\nevent: change\ndata: %s\n", changes[i].Cursor, text.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
