package ingest

import (
	"encoding/json"
	"time"

	"github.com/headwater-io/headwater/client/batches"
	"github.com/headwater-io/headwater/model"
)

// The kinds of records. A request has proposals or snapshots, not both.
const (
	proposals = iota
	snapshots
)

// item is a record that is being sent. Body and system are its parts of the request.
type item struct {
	Outgoing
	number int
	// line is the record's first line in the file.
	line int
	raw  json.RawMessage
	// position is the number of bytes of the file up to this record.
	position int64
	// record is the decoded record, set only in a dry run.
	record *model.FileRecord
	system json.RawMessage
	// series: the record is a value of a time series.
	series bool
}

// prepare decodes a record and encodes its part of a request. A record that cannot be
// decoded, or could not be read because of the error unread, is refused and not sent.
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

// system returns a record's system metadata, with the run and the pipeline of this command if
// the record names none.
func (s *sender) system(given json.RawMessage) map[string]any {
	system := map[string]any{}
	if given != nil {
		_ = json.Unmarshal(given, &system) // cannot fail, because the record was decoded before
	}
	if system["runId"] == nil || system["runId"] == "" {
		system["runId"] = s.RunID
	}
	if s.Pipeline != "" && system["pipelineName"] == nil {
		system["pipelineName"] = s.Pipeline
	}
	if system["lastObserved"] == nil {
		system["lastObserved"] = time.Now().UnixMilli()
	}
	return system
}

// entityOf returns a name of the record's entity that is the same for every spelling of the
// URN. If a record names its entity wrongly, it is refused later, and its text serves as
// the name.
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
	_ = json.Unmarshal(snapshot, &union) // the server refuses a snapshot without a URN
	for _, body := range union {
		return body.URN
	}
	return ""
}
