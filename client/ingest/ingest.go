// Package ingest sends files of metadata to a server. It reads records as a stream,
// sends them in batches, several at a time, retries transient failures, and records what
// was acknowledged. Records of one entity stay in order.
package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/client/batches"
	"github.com/headwater-io/headwater/model"
)

// Options set how files are sent.
type Options struct {
	Client   *client.Client
	Registry *model.Registry
	// RunID is the run of records without one.
	RunID string
	// BatchSize is how many records are sent together at most, InFlight how many
	// requests are on their way at a time.
	BatchSize, InFlight int
	// DryRun checks records against the model and sends nothing.
	DryRun bool
	// StopOnError ends the file at the first record that is refused. Others that were sent
	// together with it may be written.
	StopOnError bool
	// Restart forgets what an earlier run had acknowledged.
	Restart bool
	// StateDir is where progress is recorded; empty means the user's cache directory.
	StateDir string
	// Failures, if set, receives every failed record as a JSON line.
	Failures io.Writer
	// Progress is called with the bytes read and the records acknowledged so far.
	Progress func(bytes int64, records int)
	Stdin    io.Reader
}

// Failure is one record that was refused. Record and Line, where it begins, count from 1.
// The Value of a record that is not JSON is its text.
type Failure struct {
	File    string          `json:"file"`
	Line    int             `json:"line"`
	Record  int             `json:"record"`
	Message string          `json:"message"`
	Value   json.RawMessage `json:"value,omitempty"`
}

// keptFailures bounds the number of failures in a summary.
const keptFailures = 100

// Summary is the outcome for the records.
type Summary struct {
	Succeeded, Failed, Skipped int
	// Of those that succeeded: Created had no value before, Unchanged were stored already,
	// Values are of time series, of which the server does not say that.
	Created, Unchanged, Values int
	// Failures are the first ones.
	Failures []Failure
}

// Add adds another file's summary.
func (s *Summary) Add(o Summary) {
	s.Succeeded, s.Failed, s.Skipped = s.Succeeded+o.Succeeded, s.Failed+o.Failed, s.Skipped+o.Skipped
	s.Created, s.Unchanged, s.Values = s.Created+o.Created, s.Unchanged+o.Unchanged, s.Values+o.Values
	s.Failures = append(s.Failures, o.Failures[:min(len(o.Failures), keptFailures-min(len(s.Failures), keptFailures))]...)
}

// ErrStopped: a record was refused, and StopOnError is set.
var ErrStopped = errors.New("stopped at the first record that was refused")

// batchBytes bounds the size of a batch.
const batchBytes = 4 << 20

// sender works on one file.
type sender struct {
	Options
	name    string
	summary Summary
	state   *state
	// skipped is how many records an earlier run had acknowledged.
	skipped int
	// refused are the failures that are not reported yet: of records after one that is
	// not acknowledged.
	refused []Failure
	// position is how many bytes of the file were read up to the records that were sent.
	position int64
}

// File sends one file, "-" for standard input. If it fails, the summary covers what
// was done before the error.
func File(ctx context.Context, name string, o Options) (Summary, error) {
	source, err := open(name, o.Stdin)
	if err != nil {
		return Summary{}, err
	}
	defer source.Close()
	s := &sender{Options: o, name: name}
	if s.state, err = loadState(name, o); err != nil {
		return Summary{}, err
	}
	s.skipped = s.state.Acknowledged
	s.summary.Skipped = s.skipped
	records, err := newRecords(source)
	if err != nil {
		return Summary{}, err
	}
	err = batches.Run(ctx, batches.Bounds{Records: o.BatchSize, Bytes: batchBytes, InFlight: o.InFlight}, batches.Work[*item]{
		Next: func() (batches.Record[*item], error) { return s.next(records, source) },
		Send: func(ctx context.Context, kind int, batch []*item) error { return s.send(ctx, kind, batch) },
		Sent: s.sent,
	})
	if err = errors.Join(err, s.report(math.MaxInt)); err != nil {
		return s.summary, err
	}
	return s.summary, s.state.done()
}

// next reads the next record that was not acknowledged before.
func (s *sender) next(records *records, source *source) (batches.Record[*item], error) {
	for {
		raw, err := records.read()
		if errors.Is(err, io.EOF) {
			return batches.Record[*item]{}, io.EOF
		}
		if err != nil {
			return batches.Record[*item]{}, err
		}
		if records.count > s.skipped {
			return s.prepare(&item{Outgoing: Outgoing{Name: fmt.Sprintf("record %d", records.count)}, number: records.count, line: raw.line, raw: raw.text, position: source.read}, raw.err), nil
		}
	}
}

// sent takes note of records that were written or refused.
func (s *sender) sent(batch []*item, through int) error {
	for _, it := range batch {
		s.position = max(s.position, it.position)
		if it.Refusal == "" {
			s.succeeded(it)
			continue
		}
		s.summary.Failed++
		s.refused = append(s.refused, Failure{File: s.name, Line: it.line, Record: it.number, Message: it.Refusal, Value: it.raw})
	}
	if s.StopOnError && s.summary.Failed > 0 {
		return ErrStopped // and the next run begins before this record
	}
	acknowledged := s.skipped + through
	if err := s.report(acknowledged); err != nil {
		return err
	}
	if batch[0].Body == nil {
		return nil // it was not sent, and is acknowledged with the next batch
	}
	if s.Progress != nil {
		s.Progress(s.position, s.summary.Succeeded)
	}
	if s.DryRun || acknowledged == s.state.Acknowledged {
		return nil
	}
	return s.state.acknowledge(acknowledged)
}

// succeeded counts a record that was not refused.
func (s *sender) succeeded(it *item) {
	s.summary.Succeeded++
	switch {
	case it.series:
		s.summary.Values++
	case it.Result.Created:
		s.summary.Created++
	case it.Result.Status == statusUnchanged:
		s.summary.Unchanged++
	}
}

// report reports the failures up to a record, in the order of the file.
func (s *sender) report(through int) error {
	slices.SortFunc(s.refused, func(a, b Failure) int { return a.Record - b.Record })
	for len(s.refused) > 0 && s.refused[0].Record <= through {
		failure := s.refused[0]
		s.refused = s.refused[1:]
		if len(s.summary.Failures) < keptFailures {
			s.summary.Failures = append(s.summary.Failures, failure)
		}
		if s.Failures == nil {
			continue
		}
		if err := json.NewEncoder(s.Failures).Encode(failure); err != nil {
			return err
		}
	}
	return nil
}
