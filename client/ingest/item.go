package ingest

import (
	"encoding/json"
	"time"

	"github.com/headwater-io/headwater/client/batches"
	"github.com/headwater-io/headwater/model"
)

// Proposals and snapshots are sent in requests of their own.
const (
	proposals = iota
	snapshots
)

// item is a record that is being sent. Its parts of a request are the Body and system.
type item struct {
	Outgoing
	number int
	// line is where it begins in the file.
	line int
	raw  json.RawMessage
	// position is how many bytes of the file were read up to this record.
	position int64
	// record is only kept to check it.
	record *model.FileRecord
	system json.RawMessage
	// series: it is a value of a time series.
	series bool
}

// prepare decodes a record and writes its part of a request. If it cannot be decoded, or
// was not read for the reason given, there is nothing to send.
func (s *sender) prepare(it *item, unread error) batches.Record[*item] {
	var record *model.FileRecord
	err := unread
	if err == nil {
		record, err = s.Registry.DecodeFileRecord(it.raw)
	}
	if err == nil {
		err = s.encode(it, record)
	}
	if err != nil {
		it.Refusal = err.Error()
		return batches.Record[*item]{Skip: true, Value: it}
	}
	if s.DryRun {
		it.record = record
	}
	kind := proposals
	if record.Snapshot != nil {
		kind = snapshots
	}
	it.Key = entityOf(s.Registry, record)
	if p := record.Proposal; p != nil {
		aspect, known := s.Registry.Aspect(p.AspectName)
		it.series = known && aspect.TimeSeries
	}
	return batches.Record[*item]{Key: it.Key, Kind: kind, Size: len(it.Body) + len(it.system), Value: it}
}

func (s *sender) encode(it *item, record *model.FileRecord) error {
	type wire struct {
		*model.FileProposal
		System map[string]any `json:"systemMetadata"`
	}
	var err error
	system := s.system(record.System)
	if record.Proposal != nil {
		it.Body, err = json.Marshal(wire{record.Proposal, system})
		return err
	}
	if it.Body, err = json.Marshal(map[string]any{"value": record.Snapshot}); err != nil {
		return err
	}
	it.system, err = json.Marshal(system)
	return err
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

// entityOf names the entity of a record, the same for every spelling of its URN. A
// record that names none properly is refused later; its text serves as the name.
func entityOf(r *model.Registry, record *model.FileRecord) string {
	var text string
	switch p := record.Proposal; {
	case p == nil:
		text = snapshotURN(record.Snapshot)
	case p.EntityURN == "" && p.KeyAspect != nil:
		u, err := r.URNFromKey(r.Dialects()[0], p.EntityType, []byte(p.KeyAspect.Value))
		if err != nil {
			return p.KeyAspect.Value
		}
		return r.Normal(u).String()
	default:
		text = p.EntityURN
	}
	u, err := model.ParseURN(text)
	if err != nil {
		return text
	}
	return r.Normal(u).String()
}

func snapshotURN(snapshot json.RawMessage) string {
	var union map[string]struct {
		URN string `json:"urn"`
	}
	_ = json.Unmarshal(snapshot, &union) // without a URN, the server refuses it
	for _, body := range union {
		return body.URN
	}
	return ""
}
