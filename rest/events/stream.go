package events

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/rest/call"
	"github.com/headwater-io/headwater/rest/sse"
)

// streamEvents sends changes as server-sent events until the client disconnects or stops
// reading, or the server closes. If selected is not nil, it sends the events that it
// selects. The id of each event is its cursor, so that a client that reconnects continues
// after that event. While events are sent, no resources of the store are held.
func (h eventHandlers) streamEvents(c *call.Call, from string, limit int, selected *streams.Selection) error {
	var (
		changes []catalog.Change
		next    string
	)
	begin := func(ctx context.Context) (err error) {
		changes, next, err = h.catalog.FollowChanges(ctx, from, limit, 0)
		return err
	}
	return h.streams.Serve(c, h.closing, "stream of changes", begin, func(to *sse.Stream) (err error) {
		out := &streamWriter{Stream: to}
		for {
			if selected != nil {
				err = out.selected(selected, changes, next)
			} else {
				err = out.events(changes)
			}
			if err != nil {
				return err
			}
			if changes, next, err = h.catalog.FollowChanges(to.Ctx, next, limit, out.patience()); err != nil {
				return err
			}
		}
	})
}

// streamWriter writes a stream of changes.
type streamWriter struct {
	*sse.Stream
	// quiet is the time since which a filtered stream has sent nothing, zero for other
	// streams.
	quiet time.Time
}

// events sends changes, or a heartbeat if there are none. It releases the memory of each
// change before it sends its text.
func (w *streamWriter) events(changes []catalog.Change) error {
	if len(changes) == 0 {
		return w.Alive("")
	}
	release, err := w.hold(changes)
	if err != nil {
		return err
	}
	defer release()
	for i := range changes {
		text, err := sse.Text(changes[i].Cursor, string(streams.FormatChange), streams.ChangeEventOf(&changes[i]))
		if err != nil {
			return err
		}
		changes[i] = catalog.Change{}
		if err := w.Send(text); err != nil {
			return err
		}
	}
	return nil
}

// hold reserves memory for the part of a page that exceeds the allowance of its stream.
func (w *streamWriter) hold(changes []catalog.Change) (release func(), err error) {
	return w.Hold(pageWeight(changes))
}

// pageWeight returns the memory of a page in bytes: its values, and the largest one a
// second time in encoded form.
func pageWeight(changes []catalog.Change) int64 {
	sum, largest := 0, 0
	for i := range changes {
		size := len(changes[i].Value) + len(changes[i].Previous)
		sum += size
		largest = max(largest, size)
	}
	return int64(sum + largest)
}
