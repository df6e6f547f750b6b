package events

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/semaphore"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/pace"
	"github.com/headwater-io/headwater/rest/call"
)

// streamPiece is how many bytes of a stream are sent under one deadline.
const streamPiece = 32 << 10

// Places bounds the event streams: their number, how long a client may keep the server
// waiting, and the memory of events that are not sent yet.
type Places struct {
	open  chan struct{}
	most  int
	write time.Duration
	large *semaphore.Weighted
}

// NewPlaces permits most streams at a time; 0 means limits.EventStreams. Sending a piece of
// a stream may take the time write; 0 means limits.StreamWrite.
func NewPlaces(most int, write time.Duration, registry prometheus.Registerer) *Places {
	s := &Places{most: most, write: write, large: semaphore.NewWeighted(limits.StreamBytes)}
	if s.most == 0 {
		s.most = limits.EventStreams
	}
	if s.write == 0 {
		s.write = limits.StreamWrite
	}
	s.open = make(chan struct{}, s.most)
	if registry != nil {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "headwater_event_streams", Help: "Open event streams.",
		}, func() float64 { return float64(s.Count()) }))
	}
	return s
}

// enter takes a place for one more stream, and reports whether one was free. The caller
// gives the place back with leave.
func (s *Places) enter() bool {
	select {
	case s.open <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s *Places) leave() { <-s.open }

// Count returns the number of open streams.
func (s *Places) Count() int { return len(s.open) }

// streamEvents sends changes as server-sent events until the client disconnects or stops
// reading, or the server closes. If selected is not nil, it sends the events that it
// selects. The id of each event is its cursor, so that a client that reconnects continues
// after that event. While events are sent, no resources of the store are held.
func (h eventHandlers) streamEvents(c *call.Call, from string, limit int, selected *streams.Selection) error {
	if !h.streams.enter() {
		return catalog.Errorf(catalog.Busy, "%d event streams are open, the limit", h.streams.most)
	}
	defer h.streams.leave()
	ctx, cancel := h.untilClosing(c)
	defer cancel()
	changes, next, err := h.catalog.FollowChanges(ctx, from, limit, 0)
	if err != nil {
		return err
	}
	c.Header("Content-Type", "text/event-stream")
	c.Header("Cache-Control", "no-cache")
	c.Status(http.StatusOK)
	out := &streamWriter{places: h.streams, ctx: ctx, to: c.Writer, control: http.NewResponseController(c.Writer)}
	// A piece that the client does not read must not delay the closing of the
	// server.
	stop := context.AfterFunc(ctx, func() { pace.Interrupt(ctx) })
	defer stop()
	if err := out.send([]byte(": stream of changes\n\n")); err != nil {
		return nil //nolint:nilerr // the client went away
	}
	for {
		if selected != nil {
			err = out.selected(selected, changes, next)
		} else {
			err = out.events(changes)
		}
		if err != nil {
			h.logger.DebugContext(ctx, "event stream ended", "reason", err)
			return nil
		}
		if ctx.Err() != nil {
			return nil
		}
		if changes, next, err = h.catalog.FollowChanges(ctx, next, limit, out.patience()); err != nil {
			if ctx.Err() == nil {
				h.logger.WarnContext(ctx, "event stream ended", "error", err)
			}
			return nil
		}
	}
}

// streamWriter writes a stream in pieces, each with its own deadline.
type streamWriter struct {
	places  *Places
	ctx     context.Context
	to      io.Writer
	control *http.ResponseController
	// quiet is the time since which a filtered stream has sent nothing, zero for other
	// streams.
	quiet time.Time
}

func (w *streamWriter) send(text []byte) error {
	for len(text) > 0 {
		piece := text[:min(len(text), streamPiece)]
		text = text[len(piece):]
		if err := w.control.SetWriteDeadline(time.Now().Add(w.places.write)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return err
		}
		if err := w.ctx.Err(); err != nil { // SetWriteDeadline may have overwritten the deadline that the end of ctx set
			return err
		}
		if _, err := w.to.Write(piece); err != nil {
			return err
		}
		if err := w.control.Flush(); err != nil {
			return err
		}
	}
	return nil
}

var errStreamsFull = errors.New("all event streams together use as much memory as is allowed")

// events sends changes, or a heartbeat if there are none. It releases the memory of each
// change before it sends its text.
func (w *streamWriter) events(changes []catalog.Change) error {
	if len(changes) == 0 {
		return w.send([]byte(": alive\n\n"))
	}
	release, err := w.hold(changes)
	if err != nil {
		return err
	}
	defer release()
	for i := range changes {
		text, err := eventText(changes[i].Cursor, streams.FormatChange, streams.ChangeEventOf(&changes[i]))
		if err != nil {
			return err
		}
		changes[i] = catalog.Change{}
		if err := w.send(text); err != nil {
			return err
		}
	}
	return nil
}

// hold reserves memory for the part of a page that exceeds the allowance of its stream.
func (w *streamWriter) hold(changes []catalog.Change) (release func(), err error) {
	return w.holdBytes(pageWeight(changes))
}

func (w *streamWriter) holdBytes(weight int64) (release func(), err error) {
	large := min(weight-limits.StreamAllowance, limits.StreamBytes)
	if large <= 0 {
		return func() {}, nil
	}
	if !w.places.large.TryAcquire(large) {
		return nil, errStreamsFull
	}
	return func() { w.places.large.Release(large) }, nil
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

// eventText returns one server-sent event. It leaves out an empty id, so that the client
// keeps the id of the event before.
func eventText(id string, format streams.Format, data any) ([]byte, error) {
	var text bytes.Buffer
	if id != "" {
		fmt.Fprintf(&text, "id: %s\n", id)
	}
	fmt.Fprintf(&text, "event: %s\ndata: ", format)
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	// Encoded JSON has no line breaks inside. The encoder adds one at the end.
	if err := encoder.Encode(data); err != nil {
		return nil, err
	}
	text.WriteByte('\n')
	return text.Bytes(), nil
}
