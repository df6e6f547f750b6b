package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/headwater-io/headwater/client"
)

// Events sends the events of files of OpenLineage to a server.
type Events struct {
	Client *client.Client
	// Stdin is read in place of a file of the name "-".
	Stdin io.Reader
	// Progress, if set, is told how many bytes of a file are read, and how many of its events are sent.
	Progress func(bytes int64, events int)
}

// A request has at most eventsAtOnce events, and their texts at most eventBytesAtOnce bytes unless one event is larger.
const (
	eventsAtOnce     = 200
	eventBytesAtOnce = 4 << 20
)

// File sends the events of a file: a JSON array, JSON lines or one event, plain or gzipped. An event that is refused
// is counted, and does not stop the file. Sending a file again changes nothing.
func (e *Events) File(ctx context.Context, name string) (Summary, error) {
	var summary Summary
	from, err := open(name, e.Stdin)
	if err != nil {
		return summary, err
	}
	defer from.Close()
	in, err := newRecords(from)
	if err != nil {
		return summary, err
	}
	var batch []event
	bytes, read := 0, 0
	send := func() error {
		err := e.send(ctx, name, batch, &summary)
		batch, bytes = batch[:0], 0
		if e.Progress != nil {
			e.Progress(from.read, summary.Succeeded+summary.Failed)
		}
		return err
	}
	for {
		record, err := in.read()
		if errors.Is(err, io.EOF) {
			return summary, send()
		}
		if err != nil {
			return summary, errors.Join(send(), err)
		}
		read++
		if record.err != nil {
			fail(&summary, Failure{File: name, Line: record.line, Record: read, Message: record.err.Error()})
			continue
		}
		if len(batch) > 0 && (len(batch) == eventsAtOnce || bytes+len(record.text) > eventBytesAtOnce) {
			if err := send(); err != nil {
				return summary, err
			}
		}
		batch, bytes = append(batch, event{record, read}), bytes+len(record.text)
	}
}

// event is an event with its place in the file.
type event struct {
	rawRecord
	number int
}

func (e event) failure(file, message string) Failure {
	return Failure{File: file, Line: e.line, Record: e.number, Message: message}
}

// fail counts an event that was refused.
func fail(summary *Summary, f Failure) {
	summary.Failed++
	summary.addFailure(f)
}

// eventsAnswer is the answer to a list of events.
type eventsAnswer struct {
	Failed []struct {
		Index  int    `json:"index"`
		Reason string `json:"reason"`
	} `json:"failed_events"`
}

// send sends a list of events. If the server takes none of the events, it refuses the whole list with one
// reason, and send then sends the events one by one.
func (e *Events) send(ctx context.Context, file string, batch []event, summary *Summary) error {
	if len(batch) == 0 {
		return nil
	}
	answer, err := e.post(ctx, batch)
	var refused *client.Error
	switch {
	case err == nil:
		for _, f := range answer.Failed {
			if f.Index < 0 || f.Index >= len(batch) {
				return fmt.Errorf("the server refused event %d of %d", f.Index, len(batch))
			}
			fail(summary, batch[f.Index].failure(file, f.Reason))
		}
		summary.Succeeded += len(batch) - len(answer.Failed)
		return nil
	case !errors.As(err, &refused) || !ofTheEvents(refused):
		return err
	case len(batch) == 1:
		fail(summary, batch[0].failure(file, refused.Message))
		return nil
	}
	for i := range batch {
		if err := e.send(ctx, file, batch[i:i+1], summary); err != nil {
			return err
		}
	}
	return nil
}

// post sends a list of events. One event is sent alone: the answer to it has its reason without further words.
func (e *Events) post(ctx context.Context, batch []event) (answer eventsAnswer, err error) {
	if len(batch) == 1 {
		return answer, e.Client.PostPatiently(ctx, "/api/v1/lineage", batch[0].text, &answer)
	}
	texts := make([]json.RawMessage, len(batch))
	for i := range batch {
		texts[i] = batch[i].text
	}
	body, err := json.Marshal(texts)
	if err != nil {
		return answer, err
	}
	return answer, e.Client.PostPatiently(ctx, "/api/v1/lineage/batch", body, &answer)
}

// ofTheEvents reports whether a refusal is about the events of the request, and not about its sender or its address.
func ofTheEvents(refused *client.Error) bool {
	return refused.Status == 400 || refused.Status == 422 || refused.TooLarge()
}
