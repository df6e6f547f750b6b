// Package ingest sends files of metadata to a server. It reads records as a stream, sends
// them in batches, several at a time, retries transient failures, and remembers which
// records the server has acknowledged. Records of one entity stay in order.
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
	// RunID is the run of those records that name none.
	RunID string
	// Pipeline is the pipeline of those records that name none; "" leaves them without one.
	Pipeline string
	// BatchSize bounds the records in one request, InFlight the requests at a time.
	BatchSize, InFlight int
	// DryRun checks records against the model and sends nothing.
	DryRun bool
	// StopOnError stops at the first refused record. Other records of the same batch may
	// still be written.
	StopOnError bool
	// Restart sends all records again, also those that an earlier run got acknowledged.
	Restart bool
	// StateDir is the directory of the progress files; empty means the user's cache
	// directory.
	StateDir string
	// Failures, if set, receives every failed record as a JSON line.
	Failures io.Writer
	// Progress, if set, is called with the number of bytes read and of records acknowledged
	// so far.
	Progress func(bytes int64, records int)
	Stdin    io.Reader
}

// Failure is a refused record. Record is its number and Line its first line, both from 1.
// If the record is not JSON, Value is its text.
type Failure struct {
	File    string          `json:"file"`
	Line    int             `json:"line"`
	Record  int             `json:"record"`
	Message string          `json:"message"`
	Value   json.RawMessage `json:"value,omitempty"`
}

// keptFailures bounds the number of failures in a summary.
const keptFailures = 100

// Summary is the outcome of sending records, or events.
type Summary struct {
	Succeeded, Failed, Skipped int
	// Parts of Succeeded. Created: the aspect had no value before. Unchanged: the value was
	// already stored. Values: values of time series, for which the server reports neither.
	Created, Unchanged, Values int
	// Failures has the first failures, at most keptFailures.
	Failures []Failure
}

// Add adds the summary of another file.
func (s *Summary) Add(o Summary) {
	s.Succeeded, s.Failed, s.Skipped = s.Succeeded+o.Succeeded, s.Failed+o.Failed, s.Skipped+o.Skipped
	s.Created, s.Unchanged, s.Values = s.Created+o.Created, s.Unchanged+o.Unchanged, s.Values+o.Values
	s.Failures = append(s.Failures, o.Failures[:min(len(o.Failures), keptFailures-min(len(s.Failures), keptFailures))]...)
}

// addFailure keeps a failure, if it is one of the first.
func (s *Summary) addFailure(f Failure) {
	if len(s.Failures) < keptFailures {
		s.Failures = append(s.Failures, f)
	}
}

// ErrStopped: a record was refused, and StopOnError is set.
var ErrStopped = errors.New("stopped at the first record that was refused")

// batchBytes bounds the size of a batch in bytes.
const batchBytes = 4 << 20

// sender sends one file.
type sender struct {
	Options
	name    string
	summary Summary
	state   *state
	// skipped is the number of records that an earlier run got acknowledged.
	skipped int
	// refused are failures that are not reported yet, because an earlier record is not
	// acknowledged.
	refused []Failure
	// position is the number of bytes of the file up to the last record sent.
	position int64
}

// File sends one file, "-" for standard input. If it fails, the summary covers the part
// that was sent before the error.
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
	return s.run(ctx, source)
}

// Stream sends records that no file has, such as the records that a translation makes. name stands for the file in
// failures. Acknowledged records are not noted, so that an interrupted Stream starts over.
func Stream(ctx context.Context, name string, from io.Reader, o Options) (Summary, error) {
	s := &sender{Options: o, name: name, state: &state{}}
	return s.run(ctx, &source{Reader: from, file: io.NopCloser(nil)})
}

// run sends the records of a source.
func (s *sender) run(ctx context.Context, source *source) (Summary, error) {
	s.skipped = s.state.Acknowledged
	s.summary.Skipped = s.skipped
	records, err := newRecords(source)
	if err != nil {
		return Summary{}, err
	}
	err = batches.Run(ctx, batches.Bounds{Records: s.BatchSize, Bytes: batchBytes, InFlight: s.InFlight}, batches.Work[*item]{
		Next: func() (batches.Record[*item], error) { return s.next(records, source) },
		Send: func(ctx context.Context, kind int, batch []*item) error { return s.send(ctx, kind, batch) },
		Sent: s.sent,
	})
	if err = errors.Join(err, s.report(math.MaxInt)); err != nil {
		return s.summary, err
	}
	return s.summary, s.state.done()
}

// next returns the next record that no earlier run got acknowledged.
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

// sent counts records that the server has written or refused.
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
		return ErrStopped // the refused record is not acknowledged, so the next run sends it again
	}
	acknowledged := s.skipped + through
	if err := s.report(acknowledged); err != nil {
		return err
	}
	if batch[0].Body == nil {
		return nil // the record was not sent; the next batch acknowledges it
	}
	if s.Progress != nil {
		s.Progress(s.position, s.summary.Succeeded)
	}
	if s.DryRun || acknowledged == s.state.Acknowledged {
		return nil
	}
	return s.state.acknowledge(acknowledged)
}

// succeeded counts a record that the server has accepted.
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

// report reports the failures of the first through records, in the order of the file.
func (s *sender) report(through int) error {
	slices.SortFunc(s.refused, func(a, b Failure) int { return a.Record - b.Record })
	for len(s.refused) > 0 && s.refused[0].Record <= through {
		failure := s.refused[0]
		s.refused = s.refused[1:]
		s.summary.addFailure(failure)
		if s.Failures == nil {
			continue
		}
		if err := json.NewEncoder(s.Failures).Encode(failure); err != nil {
			return err
		}
	}
	return nil
}
