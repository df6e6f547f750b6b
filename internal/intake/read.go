package intake

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsonlimit"
	"github.com/headwater-io/headwater/internal/limits"
)

// Costs of decoding, in bytes of memory for each byte or value of a text. They are measured
// upper bounds, see TestWeightBoundsMemory.
const (
	// ResultCost is the memory of the result of one item of a batch, in bytes.
	ResultCost = shallowCost
	// ValueCost is the memory of a JSON value of an aspect while it is checked
	// against the model and written, in bytes.
	ValueCost = rawItemCost
)

const (
	// byteCost is the cost of a byte beside the read buffer: the smaller buffer that it
	// replaced, and the decoded strings with one copy.
	byteCost = 3
	// itemCost is the cost of a value in the deeper parts of a body, such as a member of a
	// map or a small structure in a growing list.
	itemCost = 512
	// memberCost is the cost of a value within a proposal.
	memberCost = 256
	// rawItemCost is the cost of a value that stays text until it is checked against
	// the model.
	rawItemCost = 128
	// shallowCost is the cost of an element of a list of proposals, versions or edges,
	// with its result.
	shallowCost = 1 << 10
)

// Kind is a kind of bodies: its limits and the cost of decoding it.
type Kind struct {
	jsonlimit.Limits
	// ItemCost is the memory of one value in bytes.
	ItemCost int64
}

// The kinds of bodies.
var (
	// Request is a body that is not a batch of writes.
	Request = Kind{jsonlimit.Limits{Depth: limits.MaxJSONDepth, Items: limits.MaxRequestItems, List: limits.MaxBodyList}, itemCost}
	// Batch is a list of proposals, Snapshots a list of legacy snapshots.
	Batch     = Kind{jsonlimit.Limits{Depth: limits.MaxJSONDepth, Items: limits.MaxBatchItems, List: limits.MaxBodyList, Shallow: 2}, memberCost}
	Snapshots = Kind{jsonlimit.Limits{Depth: limits.MaxJSONDepth, Items: limits.MaxBatchItems, List: limits.MaxBodyList, Shallow: 6}, rawItemCost}
	// Proposal is one line of a batch.
	Proposal = Kind{jsonlimit.Limits{Depth: limits.MaxJSONDepth, Items: limits.MaxRequestItems, List: limits.MaxBodyList}, itemCost}
	// Record is a proposal or a snapshot of Kafka.
	Record = Kind{jsonlimit.Limits{Depth: limits.MaxJSONDepth, Items: limits.MaxBatchItems}, memberCost}
	// Line is one line of an import.
	Line = Kind{jsonlimit.Limits{Depth: limits.MaxJSONDepth, Items: limits.MaxLineItems, List: limits.MaxLineListItems, Shallow: 3}, rawItemCost}
)

// weight returns the memory in bytes for decoding a measured text of n bytes.
func (k *Kind) weight(n int, s *jsonlimit.Scanner) int64 {
	return byteCost*int64(n) + k.ItemCost*int64(s.Items()) + shallowCost*int64(s.ShallowItems())
}

// firstBuffer is how many bytes of a body are read before its memory counts. A sender that
// stops in the middle of a small body so holds no memory of the budget.
const firstBuffer = 64 << 10

// ReadJSON reads a body and reserves the memory for decoding it in the request's share. It
// returns an error if the body exceeds the limits of its kind. The text is not necessarily
// valid JSON.
func ReadJSON(ctx context.Context, body io.Reader, kind Kind) ([]byte, error) {
	share := ShareOf(ctx)
	var scanner jsonlimit.Scanner
	scanner.Reset(kind.Limits)
	text := make([]byte, 0, 4<<10)
	for {
		if len(text) == cap(text) {
			grown := 2 * cap(text)
			if grown > firstBuffer {
				share.reading(true)
				// Memory for decoding is reserved only when the body is complete, because a
				// body that exceeds a limit must be refused without waiting for memory.
				if err := share.Hold(ctx, int64(grown+cap(text))); err != nil {
					return nil, err
				}
			}
			text = append(make([]byte, 0, grown), text...)
		}
		// Read in small pieces, so that an exceeded limit is noticed before much more is
		// decompressed.
		n, err := body.Read(text[len(text):min(len(text)+firstBuffer, cap(text))])
		piece := text[len(text) : len(text)+n]
		text = text[:len(text)+n]
		if err := scanner.Scan(piece); err != nil {
			return nil, tooMuch(err)
		}
		switch {
		case errors.Is(err, io.EOF):
			share.reading(false)
			return text, share.Hold(ctx, kind.weight(len(text), &scanner)+int64(cap(text)))
		case err != nil:
			return nil, unreadable(err)
		}
	}
}

// tooMuch converts an exceeded limit to an error for callers.
func tooMuch(err error) error { return catalog.Errorf(catalog.Invalid, "the body: %w", err) }

// unreadable converts an error of a read to an error for callers, unless the error is one
// already or has a status of its own.
func unreadable(err error) error {
	var (
		tooLarge *http.MaxBytesError
		slow     *SlowError
		known    *catalog.Error
	)
	if errors.As(err, &tooLarge) || errors.As(err, &slow) || errors.As(err, &known) {
		return err
	}
	return catalog.Errorf(catalog.Invalid, "the body cannot be read: %w", err)
}

// SlowError means that a body did not arrive in time.
type SlowError struct{ Err error }

func (e *SlowError) Error() string { return "the body did not come in time" }

// Unwrap returns the cause.
func (e *SlowError) Unwrap() error { return e.Err }

// Stream reads lists or objects one after the other from a body of any size.
type Stream struct {
	body  io.Reader
	kind  Kind
	most  int64
	share *Share
	// kept is the weight of earlier values that are still in use.
	kept  int64
	value int64
	buf   []byte
	start int
	err   error
}

// NewStream makes a stream of values of at most most bytes each.
func NewStream(ctx context.Context, body io.Reader, kind Kind, most int64) *Stream {
	s := &Stream{body: body, kind: kind, most: most, share: ShareOf(ctx)}
	s.share.reading(true) // until the stream ends
	return s
}

// Next returns the next value, and io.EOF after the last one. The text is valid until the
// next call, and not necessarily valid JSON. If the body ends within a value, the error is
// io.ErrUnexpectedEOF.
func (s *Stream) Next(ctx context.Context) ([]byte, error) {
	var scanner jsonlimit.Scanner
	scanner.Reset(s.kind.Limits)
	s.value = 0
	for at := s.start; ; {
		if s.skipSpace(); at < s.start {
			at = s.start
		}
		if s.start < len(s.buf) && s.buf[s.start] != '{' && s.buf[s.start] != '[' {
			return nil, catalog.Errorf(catalog.Invalid, "it begins with neither { nor [")
		}
		n, done, err := scanner.ScanValue(s.buf[at:])
		if err != nil {
			return nil, tooMuch(err)
		}
		at += n
		if int64(at-s.start) > s.most {
			return nil, catalog.Errorf(catalog.TooLarge, "it has more than %d bytes, which is the limit", s.most)
		}
		s.value = s.kind.weight(at-s.start, &scanner)
		if done { // memory for decoding is reserved only when the value is complete
			if err := s.share.Hold(ctx, s.kept+s.value+int64(cap(s.buf))); err != nil {
				return nil, err
			}
		}
		if done {
			value := s.buf[s.start:at]
			s.start = at
			return value, nil
		}
		shift := s.start
		if err := s.fill(ctx); err != nil {
			if errors.Is(err, io.EOF) && s.start < len(s.buf) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		at -= shift - s.start
	}
}

// Keep declares that the current value will still be in use when the next one is read.
func (s *Stream) Keep() { s.kept += s.value }

// Drop declares that the earlier values are no longer in use. The caller still uses left
// bytes that it made from these values.
func (s *Stream) Drop(left int64) { s.kept = left }

func (s *Stream) skipSpace() {
	for s.start < len(s.buf) && bytes.IndexByte([]byte(" \t\r\n"), s.buf[s.start]) >= 0 {
		s.start++
	}
}

// fill reads more data into the buffer.
func (s *Stream) fill(ctx context.Context) error {
	if s.err != nil {
		return s.err
	}
	rest := s.buf[s.start:]
	switch {
	case len(rest) == 0 && cap(s.buf) > 1<<20: // the next value is probably shorter, so the large buffer is released
		s.buf = make([]byte, 0, firstBuffer)
	case s.start > 0:
		s.buf = s.buf[:copy(s.buf, rest)]
	}
	s.start = 0
	if len(s.buf) == cap(s.buf) {
		if grown := 2 * cap(s.buf); grown > firstBuffer {
			if err := s.share.Hold(ctx, s.kept+int64(grown+cap(s.buf))); err != nil {
				return err
			}
		}
		s.buf = append(make([]byte, 0, max(2*cap(s.buf), firstBuffer)), s.buf...)
	}
	n, err := s.body.Read(s.buf[len(s.buf):cap(s.buf)])
	s.buf = s.buf[:len(s.buf)+n]
	if err != nil {
		s.err = err
		if !errors.Is(err, io.EOF) {
			s.err = unreadable(err)
		}
	}
	if n > 0 {
		return nil
	}
	return s.err
}
