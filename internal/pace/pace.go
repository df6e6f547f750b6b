// Package pace ends requests whose clients have stopped: clients that send no more
// of the body, or read no more of the answer. The server's own work in between has
// no time limit here.
package pace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/internal/limits"
)

// Body bounds the time of each read of a request's body.
type Body struct {
	io.ReadCloser
	deadline func(time.Time) error
	now      func() time.Time
	idle     time.Duration
	// latest is when the body must be complete, zero for a stream.
	latest time.Time
	// waited and bytes belong to the present stretch of a stream.
	waited time.Duration
	bytes  int64
	// err is how the body ended. After that there is nothing to wait for, and
	// the server itself waits, for the client to go.
	err error
}

// NewBody paces a body. The client may send nothing for at most idle. The body must be
// complete within total or, if that is 0, arrive at limits.MinBodyRate bytes a second
// or more over each stretch of idle. Only the time spent waiting for the client
// counts.
func NewBody(w http.ResponseWriter, body io.ReadCloser, idle, total time.Duration) *Body {
	b := &Body{ReadCloser: body, deadline: http.NewResponseController(w).SetReadDeadline, now: time.Now, idle: idle}
	if total > 0 {
		b.latest = b.now().Add(total)
	}
	return b
}

// Read reads what is available. A *intake.SlowError means that the client was too
// slow.
func (b *Body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.read(p)
	b.err = err
	return n, err
}

func (b *Body) read(p []byte) (int, error) {
	began := b.now()
	until := began.Add(b.idle)
	if !b.latest.IsZero() && b.latest.Before(until) {
		until = b.latest
	}
	if err := b.until(until); err != nil {
		return 0, err
	}
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return n, &intake.SlowError{Err: err}
	}
	if err != nil {
		return n, err // at the end of the body the server has set the deadline
	}
	if b.latest.IsZero() {
		if err := b.stretch(n, b.now().Sub(began)); err != nil {
			return n, err
		}
	}
	return n, b.until(time.Time{}) // the work in between takes its time
}

// until sets the deadline, if there is one.
func (b *Body) until(t time.Time) error {
	if err := b.deadline(t); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// Finish is called when the handler has ended. The server reads the rest of the body
// for a short time, but not of a body that was too slow.
func (b *Body) Finish() {
	var slow *intake.SlowError
	switch {
	case errors.Is(b.err, io.EOF):
	case errors.As(b.err, &slow):
		_ = b.until(b.now()) // the connection may be gone
	default:
		_ = b.until(b.now().Add(limits.RestOfBodySeconds * time.Second)) // likewise
	}
}

// stretch checks the rate of a stream once a stretch has passed.
func (b *Body) stretch(n int, waited time.Duration) error {
	b.bytes += int64(n)
	b.waited += waited
	if b.waited < b.idle {
		return nil
	}
	least := int64(b.waited.Seconds() * limits.MinBodyRate)
	if b.bytes < least {
		return &intake.SlowError{Err: fmt.Errorf("%d bytes in %v, but at least %d are required", b.bytes, b.waited, least)}
	}
	b.waited, b.bytes = 0, 0
	return nil
}

// piece is how much of an answer is written under one deadline.
const piece = 64 << 10

// Writer closes the connection if the client does not read each part of an answer in
// time. It must be used by the handler's goroutine; Interrupt may be called by any.
type Writer struct {
	http.ResponseWriter
	control *http.ResponseController
	idle    time.Duration

	mu sync.Mutex
	// own: the handler has set its own deadline. cut: it was interrupted. over: it
	// has ended.
	own, cut, over bool
}

// NewWriter paces an answer.
func NewWriter(w http.ResponseWriter, idle time.Duration) *Writer {
	return &Writer{ResponseWriter: w, control: http.NewResponseController(w), idle: idle}
}

type writerKey struct{}

// WithWriter lets handlers below find the writer of their answer.
func WithWriter(ctx context.Context, w *Writer) context.Context {
	return context.WithValue(ctx, writerKey{}, w)
}

// Interrupt ends what the handler of a context is writing and all that it
// writes from then on, as if its time were over. It may be called by another
// goroutine, and does nothing when the handler has ended.
func Interrupt(ctx context.Context) {
	w, ok := ctx.Value(writerKey{}).(*Writer)
	if !ok {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over {
		w.cut = true
		_ = w.control.SetWriteDeadline(time.Now()) // not every writer has deadlines
	}
}

// begin starts the time.
func (w *Writer) begin() { w.until(time.Now().Add(w.idle)) }

// end stops the time while the handler makes the next part.
func (w *Writer) end() { w.until(time.Time{}) }

// until sets the deadline, unless the handler has its own or was interrupted.
func (w *Writer) until(t time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.own && !w.cut {
		_ = w.control.SetWriteDeadline(t) // not every writer has deadlines
	}
}

// Finish is called when the handler has ended: the server reads the rest of the
// body and sends that of the answer.
func (w *Writer) Finish() {
	w.until(time.Now().Add(limits.RestOfBodySeconds*time.Second + w.idle))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
}

// Write writes in pieces, each with its own deadline.
func (w *Writer) Write(p []byte) (int, error) {
	defer w.end()
	written := 0
	for {
		part := p[written:min(written+piece, len(p))]
		w.begin()
		n, err := w.ResponseWriter.Write(part)
		written += n
		if err != nil || written == len(p) {
			return written, err
		}
	}
}

// Flush sends buffered data.
func (w *Writer) Flush() { _ = w.FlushError() }

// FlushError sends buffered data.
func (w *Writer) FlushError() error {
	w.begin()
	defer w.end()
	return w.control.Flush()
}

// SetWriteDeadline lets a handler set its own deadline; a zero time removes it.
func (w *Writer) SetWriteDeadline(t time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.own = !t.IsZero()
	if w.cut {
		return nil
	}
	return w.control.SetWriteDeadline(t)
}

// Unwrap returns the writer underneath, for http.ResponseController.
func (w *Writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
