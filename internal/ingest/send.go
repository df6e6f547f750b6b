package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/headwater-io/headwater/internal/client"
)

// send sends records of one kind. If the server refuses all because of some, it sends
// the halves, so that only those fail that are refused alone.
func (s *sender) send(ctx context.Context, kind int, batch []*item) error {
	if s.DryRun {
		s.check(batch)
		return nil
	}
	var err error
	if kind == snapshots {
		err = s.sendSnapshots(ctx, batch)
	} else {
		err = s.sendProposals(ctx, batch)
	}
	var refused *client.Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &refused) || !blamesRecords(kind, refused):
		return err
	case len(batch) == 1:
		batch[0].refusal = refused.Message
		return nil
	}
	half := len(batch) / 2
	if err := s.send(ctx, kind, batch[:half]); err != nil {
		return err
	}
	return s.send(ctx, kind, batch[half:])
}

// blamesRecords reports whether an error may be due to some of the records of a
// request. Proposals are judged one by one, so only their total size may be wrong.
func blamesRecords(kind int, refused *client.Error) bool {
	if kind == proposals {
		return refused.TooLarge()
	}
	return !refused.Temporary() && !refused.Denied()
}

// check validates records against the model.
func (s *sender) check(batch []*item) {
	for _, it := range batch {
		if err := checkRecord(s.Registry, it.record); err != nil {
			it.refusal = err.Error()
		}
	}
}

// sendProposals sends a batch. Proposals that the server has no time for are sent again.
func (s *sender) sendProposals(ctx context.Context, batch []*item) error {
	left := batch
	return client.Patiently(ctx, func() error {
		results, err := s.postProposals(ctx, left)
		if err != nil {
			return err
		}
		left, err = unanswered(left, results)
		return err
	})
}

// result is what the server answers about one proposal or snapshot.
type result struct {
	Status  string        `json:"status"`
	Created bool          `json:"created"`
	Error   *client.Error `json:"error"`
}

// statusUnchanged is the status of what is stored already.
const statusUnchanged = "unchanged"

// results is the answer about a batch.
type results struct {
	Value struct {
		Results []result `json:"results"`
	} `json:"value"`
}

func (s *sender) postProposals(ctx context.Context, batch []*item) ([]result, error) {
	bodies := make([]json.RawMessage, len(batch))
	for i, it := range batch {
		bodies[i] = it.body
	}
	var answer results
	if err := s.Client.Post(ctx, "/aspects?action=ingestProposalBatch&partial=true", object(member{"proposals", bodies}), &answer); err != nil {
		return nil, err
	}
	if got := len(answer.Value.Results); got != len(batch) {
		return nil, fmt.Errorf("the server returned %d results for %d proposals", got, len(batch))
	}
	return answer.Value.Results, nil
}

// unanswered records the refusals in a batch, and returns the proposals to send again
// with the reason: those with a transient failure, and what comes after them for the
// same entity, so that the last one remains the last.
func unanswered(batch []*item, results []result) (again []*item, reason error) {
	delayed := map[string]bool{}
	for i, it := range batch {
		failure := results[i].Error
		passing := failure != nil && failure.Temporary()
		switch {
		case passing || delayed[it.key]:
			delayed[it.key] = true
			again = append(again, it)
			if passing && reason == nil {
				reason = fmt.Errorf("record %d: %w", it.number, failure)
			}
		case failure != nil:
			it.refusal = failure.Message
		default:
			it.result = results[i]
		}
	}
	return again, reason
}

func (s *sender) sendSnapshots(ctx context.Context, batch []*item) error {
	entities, systems := make([]json.RawMessage, len(batch)), make([]json.RawMessage, len(batch))
	for i, it := range batch {
		entities[i], systems[i] = it.body, it.system
	}
	var answer results
	if err := s.Client.PostPatiently(ctx, "/entities?action=batchIngest&results=true", object(member{"entities", entities}, member{"systemMetadata", systems}), &answer); err != nil {
		return err
	}
	for i := range min(len(answer.Value.Results), len(batch)) { // an older server answers without results
		batch[i].result = answer.Value.Results[i]
	}
	return nil
}

// member is a list in a request.
type member struct {
	name  string
	items []json.RawMessage
}

// object writes a request. Its items are JSON already and may be large.
func object(members ...member) []byte {
	var b bytes.Buffer
	for i, m := range members {
		b.WriteByte("{,"[min(i, 1)])
		fmt.Fprintf(&b, "%q:[", m.name)
		for k, text := range m.items {
			if k > 0 {
				b.WriteByte(',')
			}
			b.Write(text)
		}
		b.WriteByte(']')
	}
	b.WriteByte('}')
	return b.Bytes()
}
