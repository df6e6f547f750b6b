package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/headwater-io/headwater/client"
)

// send sends records of one kind. If the server refuses a batch of snapshots because of some of
// them, send sends its halves, so that only snapshots fail that are refused by themselves.
func (s *sender) send(ctx context.Context, kind int, batch []*item) error {
	if s.DryRun {
		s.check(batch)
		return nil
	}
	if kind == proposals {
		outgoing := make([]*Outgoing, len(batch))
		for i, it := range batch {
			outgoing[i] = &it.Outgoing
		}
		return SendProposals(ctx, s.Client, outgoing)
	}
	err := s.sendSnapshots(ctx, batch)
	var refused *client.Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &refused) || refused.Temporary() || refused.Denied():
		return err
	case len(batch) == 1:
		batch[0].Refusal = refused.Message
		return nil
	}
	half := len(batch) / 2
	if err := s.send(ctx, kind, batch[:half]); err != nil {
		return err
	}
	return s.send(ctx, kind, batch[half:])
}

// check validates records against the model.
func (s *sender) check(batch []*item) {
	for _, it := range batch {
		if err := checkRecord(s.Registry, it.record); err != nil {
			it.Refusal = err.Error()
		}
	}
}

func (s *sender) sendSnapshots(ctx context.Context, batch []*item) error {
	entities, systems := make([]json.RawMessage, len(batch)), make([]json.RawMessage, len(batch))
	for i, it := range batch {
		entities[i], systems[i] = it.Body, it.system
	}
	var answer results
	if err := s.Client.PostPatiently(ctx, "/entities?action=batchIngest&results=true", object(member{"entities", entities}, member{"systemMetadata", systems}), &answer); err != nil {
		return err
	}
	for i := range min(len(answer.Value.Results), len(batch)) { // older servers return no results
		batch[i].Result = answer.Value.Results[i]
	}
	return nil
}

// member is a member of a request, whose value is a list.
type member struct {
	name  string
	items []json.RawMessage
}

// object encodes a request. The items of its lists are already JSON, so they are not
// encoded again.
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
