// Package ingest sends files of metadata to a server. It reads records as a stream,
// sends them in batches, retries transient failures, and records what was
// acknowledged.
package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/headwater-io/headwater/internal/client"
	"github.com/headwater-io/headwater/model"
)

// Options set how files are sent.
type Options struct {
	Client   *client.Client
	Registry *model.Registry
	// RunID is the run of records without one.
	RunID string
	// BatchSize is how many records are sent together.
	BatchSize int
	// DryRun checks records against the model and sends nothing.
	DryRun bool
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

// Failure is one record that was refused. Record counts from 1.
type Failure struct {
	File    string          `json:"file"`
	Record  int             `json:"record"`
	Message string          `json:"message"`
	Value   json.RawMessage `json:"value"`
}

// keptFailures bounds the number of failures in a summary.
const keptFailures = 100

// Summary is the outcome for the records.
type Summary struct {
	Succeeded, Failed, Skipped int
	// Failures are the first ones.
	Failures []Failure
}

// Add adds another file's summary.
func (s *Summary) Add(o Summary) {
	s.Succeeded, s.Failed, s.Skipped = s.Succeeded+o.Succeeded, s.Failed+o.Failed, s.Skipped+o.Skipped
	s.Failures = append(s.Failures, o.Failures[:min(len(o.Failures), keptFailures-min(len(s.Failures), keptFailures))]...)
}

// sender works on one file.
type sender struct {
	Options
	name    string
	summary Summary
	state   *state
}

// item is a record that is being sent.
type item struct {
	number int
	raw    json.RawMessage
	record *model.FileRecord
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
	records, err := newRecords(source)
	if err != nil {
		return Summary{}, err
	}
	if err := s.sendAll(ctx, records, source); err != nil {
		return s.summary, err
	}
	return s.summary, s.state.done()
}

func (s *sender) sendAll(ctx context.Context, records *records, source *source) error {
	var batch []item
	for {
		raw, err := records.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("record %d: %w", records.count+1, err)
		}
		if records.count <= s.state.Acknowledged {
			s.summary.Skipped++
			continue
		}
		if batch = append(batch, item{number: records.count, raw: raw}); len(batch) >= s.BatchSize {
			if err := s.send(ctx, batch, source); err != nil {
				return err
			}
			batch = nil
		}
	}
	return s.send(ctx, batch, source)
}

// send sends a batch in the order of the file: proposals together, snapshots
// unchanged.
func (s *sender) send(ctx context.Context, batch []item, source *source) error {
	if len(batch) == 0 {
		return nil
	}
	var group []item
	for _, it := range batch {
		record, err := s.Registry.DecodeFileRecord(it.raw)
		if err != nil {
			if err := s.failed(it, err.Error()); err != nil {
				return err
			}
			continue
		}
		it.record = record
		if len(group) > 0 && (group[0].record.Snapshot == nil) != (record.Snapshot == nil) {
			if err := s.sendGroup(ctx, group); err != nil {
				return err
			}
			group = nil
		}
		group = append(group, it)
	}
	if err := s.sendGroup(ctx, group); err != nil {
		return err
	}
	if s.Progress != nil {
		s.Progress(source.read, s.summary.Succeeded)
	}
	if s.DryRun {
		return nil
	}
	return s.state.acknowledge(batch[len(batch)-1].number)
}

func (s *sender) sendGroup(ctx context.Context, group []item) error {
	switch {
	case len(group) == 0:
		return nil
	case s.DryRun:
		return s.check(group)
	case group[0].record.Snapshot != nil:
		return s.sendSnapshots(ctx, group)
	}
	return s.sendProposals(ctx, group)
}

// system sets the run of this command in the system metadata of a record without one.
func (s *sender) system(given json.RawMessage) map[string]any {
	system := map[string]any{}
	if given != nil {
		_ = json.Unmarshal(given, &system) // it was decoded as an object before
	}
	if system["runId"] == nil || system["runId"] == "" {
		system["runId"] = s.RunID
	}
	if system["lastObserved"] == nil {
		system["lastObserved"] = time.Now().UnixMilli()
	}
	return system
}

func (s *sender) sendProposals(ctx context.Context, group []item) error {
	type wire struct {
		*model.FileProposal
		System map[string]any `json:"systemMetadata"`
	}
	proposals := make([]wire, len(group))
	for i, it := range group {
		proposals[i] = wire{it.record.Proposal, s.system(it.record.System)}
	}
	body, err := json.Marshal(map[string]any{"proposals": proposals})
	if err != nil {
		return err
	}
	var answer struct {
		Value struct {
			Results []struct {
				Status string        `json:"status"`
				Error  *client.Error `json:"error"`
			} `json:"results"`
		} `json:"value"`
	}
	if err := s.post(ctx, "/aspects?action=ingestProposalBatch&partial=true", body, &answer); err != nil {
		return err
	}
	if len(answer.Value.Results) != len(group) {
		return fmt.Errorf("the server returned %d results for %d proposals", len(answer.Value.Results), len(group))
	}
	for i, result := range answer.Value.Results {
		if result.Error == nil {
			s.summary.Succeeded++
			continue
		}
		if result.Error.Temporary() {
			return fmt.Errorf("record %d: %w", group[i].number, result.Error)
		}
		if err := s.failed(group[i], result.Error.Message); err != nil {
			return err
		}
	}
	return nil
}

// sendSnapshots sends snapshots together. If the server refuses them, it sends them
// one by one, so that only the invalid ones fail.
func (s *sender) sendSnapshots(ctx context.Context, group []item) error {
	entities, systems := make([]map[string]any, len(group)), make([]map[string]any, len(group))
	for i, it := range group {
		entities[i] = map[string]any{"value": it.record.Snapshot}
		systems[i] = s.system(it.record.System)
	}
	body, err := json.Marshal(map[string]any{"entities": entities, "systemMetadata": systems})
	if err != nil {
		return err
	}
	err = s.post(ctx, "/entities?action=batchIngest", body, nil)
	var refused *client.Error
	switch {
	case err == nil:
		s.summary.Succeeded += len(group)
		return nil
	case !errors.As(err, &refused) || refused.Temporary():
		return err
	case len(group) == 1:
		return s.failed(group[0], refused.Message)
	}
	for i := range group {
		if err := s.sendSnapshots(ctx, group[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// check validates records against the model.
func (s *sender) check(group []item) error {
	for _, it := range group {
		if err := checkRecord(s.Registry, it.record); err != nil {
			if err := s.failed(it, err.Error()); err != nil {
				return err
			}
			continue
		}
		s.summary.Succeeded++
	}
	return nil
}

func (s *sender) failed(it item, message string) error {
	s.summary.Failed++
	failure := Failure{File: s.name, Record: it.number, Message: message, Value: it.raw}
	if len(s.summary.Failures) < keptFailures {
		s.summary.Failures = append(s.summary.Failures, failure)
	}
	if s.Failures == nil {
		return nil
	}
	return json.NewEncoder(s.Failures).Encode(failure)
}

// Tries of one request; the pause doubles after each.
const (
	tries      = 5
	firstPause = 500 * time.Millisecond
)

// post sends a request, and retries it after transient failures: writes are
// idempotent.
func (s *sender) post(ctx context.Context, path string, body []byte, into any) error {
	pause := firstPause
	for try := 1; ; try++ {
		err := s.Client.Post(ctx, path, body, into)
		var answer *client.Error
		passing := errors.Is(err, client.ErrUnreachable) || errors.As(err, &answer) && answer.Temporary()
		if err == nil || !passing || try == tries || ctx.Err() != nil {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
		pause *= 2
	}
}
