package events

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/rest/call"
	"github.com/headwater-io/headwater/rest/sse"
)

// selectParameters are the parameters that select events.
var selectParameters = []call.Parameter{
	{Name: "format", Kind: "string", Help: "what is sent of a change; \"change\", the change itself, when left out, \"entityChangeEvent\", or \"feed\", what the feeds of actors tell of it"},
	{Name: "actor", Kind: "string", Help: "with the format feed: a user or a group; the actor of the request when left out; repeatable"},
	{Name: "kinds", Kind: "list", Help: "only these kinds of changes: UPSERT, RESTATE, DELETE or, in other formats, categories; the parameter repeated, or A,B"},
	{Name: "entityTypes", Kind: "list", Help: "only events of entities of these types"},
	{Name: "aspects", Kind: "list", Help: "only events of these aspects"},
	{Name: "urn", Kind: "string", Help: "only events of this entity or, with * at the end, of entities whose URNs begin so; repeatable"},
}

// selection reads the parameters that select events. It returns nil if the request wants
// all changes.
func (h eventHandlers) selection(c *call.Call) (*streams.Selection, error) {
	var (
		f     streams.Filter
		asked bool
	)
	for name, into := range map[string]*[]string{"kinds": &f.Kinds, "entityTypes": &f.EntityTypes, "aspects": &f.Aspects} {
		list, err := c.List(name)
		if err != nil {
			return nil, err
		}
		*into, asked = list, asked || len(list) > 0
	}
	for name, into := range map[string]*[]string{"urn": &f.URNs, "actor": &f.Actors} {
		values, err := c.RawValues(name)
		if err != nil {
			return nil, err
		}
		for _, raw := range values {
			text, err := url.QueryUnescape(raw)
			if err != nil {
				return nil, catalog.Errorf(catalog.Invalid, "parameter %s has invalid percent-encoding", name)
			}
			*into, asked = append(*into, text), true
		}
	}
	format, err := c.Text("format")
	if err != nil {
		return nil, err
	}
	if f.Format = streams.Format(format); !asked && format == "" {
		return nil, nil
	}
	if strings.EqualFold(format, string(streams.FormatFeed)) && len(f.Actors) == 0 {
		own, err := feedActor(c, "")
		if err != nil {
			return nil, err
		}
		f.Actors = []string{own.String()}
	}
	return h.catalog.Streams.Select(f)
}

// selectedEvents answers with a page of selected events.
func (h eventHandlers) selectedEvents(ctx context.Context, c *call.Call, selected *streams.Selection, from string, limit int, patience time.Duration) error {
	events, next, err := selected.Await(ctx, h.catalog, from, limit, patience)
	if err != nil && ctx.Err() != nil && c.Request.Context().Err() == nil {
		events, err = nil, nil // the server is closing, and no event came while the caller waited
	}
	if err != nil {
		return err
	}
	data := make([]any, len(events))
	for i := range events {
		data[i] = events[i].Data
	}
	return c.JSON(http.StatusOK, struct {
		Events []any  `json:"events"`
		Next   string `json:"next"`
	}{data, next})
}

// busyPause is how long a stream waits before it asks again for events of a feed that is
// behind.
const busyPause = time.Second

// patience returns how long the writer may wait for changes before it must send a
// heartbeat.
func (w *streamWriter) patience() time.Duration {
	if w.quiet.IsZero() {
		return sse.Heartbeat
	}
	return max(sse.Heartbeat-time.Since(w.quiet), 0)
}

// selected sends the selected events of changes. If the stream has sent nothing for a
// while, it sends a heartbeat with the cursor after the changes. A client that reconnects
// continues from that cursor.
func (w *streamWriter) selected(selected *streams.Selection, changes []catalog.Change, next string) error {
	if w.quiet.IsZero() {
		w.quiet = time.Now().Add(-sse.Heartbeat) // so that the first page tells the client the cursor, even without events
	}
	read := len(changes)
	release, err := w.hold(changes)
	if err != nil {
		return err
	}
	defer release()
	sent := false
	for len(changes) > 0 {
		events, n, err := selected.Some(w.Ctx, changes)
		if catalog.CodeOf(err) == catalog.Busy && w.Ctx.Err() == nil { // feeds are behind
			if err := w.Say("waiting: " + err.Error()); err != nil {
				return err
			}
			select {
			case <-time.After(busyPause):
			case <-w.Ctx.Done():
			}
			continue
		}
		if err == nil {
			err = w.sendSelected(selected, events)
		}
		if err != nil {
			return err
		}
		clear(changes[:n])
		sent, changes = sent || len(events) > 0, changes[n:]
	}
	switch {
	case sent:
	case read > 0 && w.patience() > 0:
		return nil
	default:
		err = w.Alive(next)
	}
	w.quiet = time.Now()
	return err
}

// sendSelected sends events. Events of feeds are not part of the changes, so it reserves
// memory for them too.
func (w *streamWriter) sendSelected(selected *streams.Selection, events []streams.Event) error {
	weight := int64(0)
	if selected.Filter().Format == streams.FormatFeed {
		for i := range events {
			weight += int64(events[i].Size)
		}
	}
	release, err := w.Hold(weight)
	if err != nil {
		return err
	}
	defer release()
	for i := range events {
		id := ""
		if events[i].Last {
			id = events[i].Cursor
		}
		text, err := sse.Text(id, string(selected.Filter().Format), events[i].Data)
		if err != nil {
			return err
		}
		events[i] = streams.Event{}
		if err := w.Send(text); err != nil {
			return err
		}
	}
	return nil
}
