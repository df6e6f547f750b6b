package sse

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/pace"
	"github.com/headwater-io/headwater/rest/call"
)

const (
	// MediaType is the media type of streams.
	MediaType = "text/event-stream"
	// Heartbeat is the interval of heartbeats, which keep idle streams open through proxies.
	Heartbeat = 15 * time.Second
	// piece is how many bytes of a stream are sent under one deadline.
	piece = 32 << 10
)

// Wanted reports whether a request asks for a stream, at an address that has one.
func Wanted(r *http.Request) bool {
	return r.Method == http.MethodGet && (r.URL.Path == "/events" || r.URL.Path == "/audit") && strings.Contains(r.Header.Get("Accept"), MediaType)
}

// Stream answers one request with events.
type Stream struct {
	places *Places
	// Ctx ends when the client disconnects and when the server closes.
	Ctx     context.Context
	to      io.Writer
	control *http.ResponseController
}

// Serve takes a place and answers a request with a stream. begin prepares the stream; if it fails,
// the request is answered with its error. send then sends events until it fails or the context of
// the stream ends. closing is done when the server closes.
func (s *Places) Serve(c *call.Call, closing context.Context, about string, begin func(ctx context.Context) error, send func(to *Stream) error) error {
	if !s.enter() {
		return catalog.Errorf(catalog.Busy, "%d event streams are open, the limit", s.most)
	}
	defer s.leave()
	ctx, cancel := UntilClosing(c, closing)
	defer cancel()
	if err := begin(ctx); err != nil {
		return err
	}
	c.Header("Content-Type", MediaType)
	c.Header("Cache-Control", "no-cache")
	c.Status(http.StatusOK)
	// A piece that the client does not read must not delay the closing of the server.
	stop := context.AfterFunc(ctx, func() { pace.Interrupt(ctx) })
	defer stop()
	out := &Stream{places: s, Ctx: ctx, to: c.Writer, control: http.NewResponseController(c.Writer)}
	if err := out.Send([]byte(": " + about + "\n\n")); err != nil {
		return nil //nolint:nilerr // the client went away
	}
	var gone goneError
	switch err := send(out); {
	case err == nil || ctx.Err() != nil:
	case errors.As(err, &gone):
		c.Logger.DebugContext(ctx, "event stream ended", "reason", err)
	default:
		c.Logger.WarnContext(ctx, "event stream ended", "error", err)
	}
	return nil
}

// UntilClosing returns the context of a request, which also ends when the server closes.
func UntilClosing(c *call.Call, closing context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(c.Request.Context())
	stop := context.AfterFunc(closing, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// goneError is the error of a stream that is not read in time, or for which there is no memory.
type goneError struct{ error }

func (e goneError) Unwrap() error { return e.error }

// Send sends a text in pieces, each with its own deadline.
func (w *Stream) Send(text []byte) error {
	for len(text) > 0 {
		part := text[:min(len(text), piece)]
		text = text[len(part):]
		if err := w.control.SetWriteDeadline(time.Now().Add(w.places.write)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return goneError{err}
		}
		if err := w.Ctx.Err(); err != nil { // SetWriteDeadline may have overwritten the deadline that the end of Ctx set
			return err
		}
		if _, err := w.to.Write(part); err != nil {
			return goneError{err}
		}
		if err := w.control.Flush(); err != nil {
			return goneError{err}
		}
	}
	return nil
}

// Say sends a comment, which clients pass over.
func (w *Stream) Say(text string) error {
	return w.Send(fmt.Appendf(nil, ": %s\n\n", strings.ReplaceAll(text, "\n", " ")))
}

// Alive sends a heartbeat. A client that reconnects continues from id; "" leaves the id of the event
// before.
func (w *Stream) Alive(id string) error {
	if id == "" {
		return w.Say("alive")
	}
	return w.Send(fmt.Appendf(nil, ": alive\nid: %s\n\n", id))
}

var errFull = errors.New("all event streams together use as much memory as is allowed")

// Hold reserves memory, in bytes, for the bytes beyond the allowance of the stream.
func (w *Stream) Hold(weight int64) (release func(), err error) {
	large := min(weight-limits.StreamAllowance, limits.StreamBytes)
	if large <= 0 {
		return func() {}, nil
	}
	if !w.places.large.TryAcquire(large) {
		return nil, goneError{errFull}
	}
	return func() { w.places.large.Release(large) }, nil
}

// Text returns one server-sent event. It leaves out an empty id, so that the client
// keeps the id of the event before.
func Text(id, name string, data any) ([]byte, error) {
	var text bytes.Buffer
	if id != "" {
		fmt.Fprintf(&text, "id: %s\n", id)
	}
	fmt.Fprintf(&text, "event: %s\ndata: ", name)
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	// Encoded JSON has no line breaks inside. The encoder adds one at the end.
	if err := encoder.Encode(data); err != nil {
		return nil, err
	}
	text.WriteByte('\n')
	return text.Bytes(), nil
}
