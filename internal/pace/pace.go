// Package pace ends requests whose clients have stopped sending the body or reading the
// answer. The time of the server's own work does not count.
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
	// latest is the time by which the body must be complete, zero for a stream.
	latest time.Time
	// waited and bytes are the time waited and the bytes received in the current stretch of
	// a stream.
	waited time.Duration
	bytes  int64
	// err is the error with which the body ended. After it, Read sets no deadline: net/http
	// itself then waits for the client to disconnect.
	err error
}

// NewBody bounds the time of a body. The client may send nothing for at most idle. If total
// is not 0, the body must be complete within total. If total is 0, each stretch of idle
// must bring at least limits.MinBodyRate bytes a second. Only the time spent waiting for
// the client counts.
func NewBody(w http.ResponseWriter, body io.ReadCloser, idle, total time.Duration) *Body {
	b := &Body{ReadCloser: body, deadline: http.NewResponseController(w).SetReadDeadline, now: time.Now, idle: idle}
	if total > 0 {
		b.latest = b.now().Add(total)
	}
	return b
}

// Read reads the available bytes. The error is an *intake.SlowError if the client was too
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
		return n, err // at the end of the body, net/http has set its own deadline
	}
	if b.latest.IsZero() {
		if err := b.stretch(n, b.now().Sub(began)); err != nil {
			return n, err
		}
	}
	return n, b.until(time.Time{}) // the handler's work has no deadline
}

// until sets the deadline of reads. It does nothing if the connection has no deadlines.
func (b *Body) until(t time.Time) error {
	if err := b.deadline(t); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// Finish must be called when the handler has ended. It bounds the time in which net/http
// reads the rest of the body. If the body was too slow, this time is 0.
func (b *Body) Finish() {
	var slow *intake.SlowError
	switch {
	case errors.Is(b.err, io.EOF):
	case errors.As(b.err, &slow):
		_ = b.until(b.now()) // the connection may be gone
	default:
		_ = b.until(b.now().Add(limits.RestOfBodySeconds * time.Second)) // the connection may be gone
	}
}

// stretch counts n bytes that took the time waited. At the end of a stretch it returns an
// error if the rate was too low.
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

// piece is how many bytes of an answer are written under one deadline.
const piece = 64 << 10

// Writer closes the connection if the client does not read each piece of the answer in
// time. Only the handler's goroutine may use it; any goroutine may call Interrupt.
type Writer struct {
	http.ResponseWriter
	control *http.ResponseController
	idle    time.Duration

	mu sync.Mutex
	// own: the handler has set its own deadline. cut: Interrupt was called. over: the
	// handler has ended.
	own, cut, over bool
}

// NewWriter returns a writer that gives the client the time idle to read each piece of the
// answer.
func NewWriter(w http.ResponseWriter, idle time.Duration) *Writer {
	return &Writer{ResponseWriter: w, control: http.NewResponseController(w), idle: idle}
}

type writerKey struct{}

// WithWriter stores a writer in a context, for Interrupt.
func WithWriter(ctx context.Context, w *Writer) context.Context {
	return context.WithValue(ctx, writerKey{}, w)
}

// Interrupt makes the current and all later writes of a handler fail, as if their time were
// over. ctx is the context of its request. Any goroutine may call it. It does nothing when
// the handler has ended.
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

// begin sets the deadline of the next piece.
func (w *Writer) begin() { w.until(time.Now().Add(w.idle)) }

// end removes the deadline while the handler makes the next piece.
func (w *Writer) end() { w.until(time.Time{}) }

// until sets the deadline of writes, unless the handler has set its own or was interrupted.
func (w *Writer) until(t time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.own && !w.cut {
		_ = w.control.SetWriteDeadline(t) // not every writer has deadlines
	}
}

// Finish must be called when the handler has ended. It bounds the time in which net/http
// reads the rest of the body and sends the rest of the answer.
func (w *Writer) Finish() {
	w.until(time.Now().Add(limits.RestOfBodySeconds*time.Second + w.idle))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
}

// Write writes the bytes in pieces, each with its own deadline.
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

// Flush sends buffered data. It ignores errors.
func (w *Writer) Flush() { _ = w.FlushError() }

// FlushError sends buffered data, and returns the error.
func (w *Writer) FlushError() error {
	w.begin()
	defer w.end()
	return w.control.Flush()
}

// SetWriteDeadline sets the handler's own deadline, which Writer then leaves unchanged. A
// zero time removes it.
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
