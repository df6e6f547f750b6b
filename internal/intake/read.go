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

// The cost of decoding, in bytes for each byte and each value of a text. These are
// measured upper bounds, see TestWeightBoundsMemory.
const (
	// ResultCost is the memory of the result of one item of a batch, in bytes.
	ResultCost = shallowCost
	// ValueCost is the memory of a JSON value of an aspect while it is checked
	// against the model and written, in bytes.
	ValueCost = rawItemCost
)

const (
	// byteCost is the cost besides the buffer: the buffer from which it grew, and its
	// strings, decoded and copied.
	byteCost = 3
	// itemCost is the cost of a value within the deeper parts of a body: members of
	// a map, small structures in a list that grows.
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

// Kind is what is known about a body in advance: how large it may be, and what
// decoding it costs.
type Kind struct {
	jsonlimit.Limits
	// ItemCost is the memory of a value, in bytes.
	ItemCost int64
}

// The kinds of bodies.
var (
	// Request is a body that is not a batch of writes.
	Request = Kind{jsonlimit.Limits{Depth: limits.MaxJSONDepth, Items: limits.MaxRequestItems, List: limits.MaxBodyList}, itemCost}
	// Batch is a list of proposals, Snapshots one of legacy snapshots.
	Batch     = Kind{jsonlimit.Limits{Depth: limits.MaxJSONDepth, Items: limits.MaxBatchItems, List: limits.MaxBodyList, Shallow: 2}, memberCost}
	Snapshots = Kind{jsonlimit.Limits{Depth: limits.MaxJSONDepth, Items: limits.MaxBatchItems, List: limits.MaxBodyList, Shallow: 6}, rawItemCost}
	// Proposal is one line of a batch.
	Proposal = Kind{jsonlimit.Limits{Depth: limits.MaxJSONDepth, Items: limits.MaxRequestItems, List: limits.MaxBodyList}, itemCost}
	// Record is a proposal or a snapshot of Kafka.
	Record = Kind{jsonlimit.Limits{Depth: limits.MaxJSONDepth, Items: limits.MaxBatchItems}, memberCost}
	// Line is one line of an import.
	Line = Kind{jsonlimit.Limits{Depth: limits.MaxJSONDepth, Items: limits.MaxLineItems, List: limits.MaxLineListItems, Shallow: 3}, rawItemCost}
)

// weight is the cost of decoding a measured text.
func (k *Kind) weight(n int, s *jsonlimit.Scanner) int64 {
	return byteCost*int64(n) + k.ItemCost*int64(s.Items()) + shallowCost*int64(s.ShallowItems())
}

// firstBuffer is how much of a body is read before it counts: a sender that stops in
// the middle of a small body must not hold memory that others need.
const firstBuffer = 64 << 10

// ReadJSON reads a body and checks that decoding it does not cost more than is
// permitted for its kind. From then on the request's share holds this cost. The text
// is not necessarily valid JSON.
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
				// The memory for decoding is requested when the body is complete: a body that is
				// refused by its measurement must not wait for others.
				if err := share.Hold(ctx, int64(grown+cap(text))); err != nil {
					return nil, err
				}
			}
			text = append(make([]byte, 0, grown), text...)
		}
		// In pieces, so that an excess is found before much of it is decompressed.
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

// unreadable converts a read failure to an error for callers, unless it already is one
// or has its own status.
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

// Stream reads lists or objects one by one from a body of any size.
type Stream struct {
	body  io.Reader
	kind  Kind
	most  int64
	share *Share
	// kept is the weight of values that were read before and are still used.
	kept  int64
	value int64
	buf   []byte
	start int
	err   error
}

// NewStream reads values of at most most bytes each.
func NewStream(ctx context.Context, body io.Reader, kind Kind, most int64) *Stream {
	s := &Stream{body: body, kind: kind, most: most, share: ShareOf(ctx)}
	s.share.reading(true) // as long as it lasts
	return s
}

// Next returns the next value, which is valid until the next call, or io.EOF. It is
// not necessarily valid JSON. The error is io.ErrUnexpectedEOF if it was cut off.
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
		if done { // as for a body, decoding is weighed when all is there
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

// Keep declares that the value is still used when the next one is read.
func (s *Stream) Keep() { s.kept += s.value }

// Drop declares that earlier values are no longer used, except for a number of bytes
// made from them.
func (s *Stream) Drop(left int64) { s.kept = left }

func (s *Stream) skipSpace() {
	for s.start < len(s.buf) && bytes.IndexByte([]byte(" \t\r\n"), s.buf[s.start]) >= 0 {
		s.start++
	}
}

// fill appends more data to the buffer.
func (s *Stream) fill(ctx context.Context) error {
	if s.err != nil {
		return s.err
	}
	rest := s.buf[s.start:]
	switch {
	case len(rest) == 0 && cap(s.buf) > 1<<20: // the next one will hardly be as long
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
