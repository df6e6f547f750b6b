package proposals

import (
	"encoding/json"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/kafka/wire"
	"github.com/headwater-io/headwater/model"
)

// item is a record and what became of it. One of proposal and snapshot is set unless the
// record could not be read.
type item struct {
	record   *kgo.Record
	proposal *catalog.Proposal
	snapshot *catalog.Snapshot
	// done: it was written, or cannot be, for the reason refused.
	done, changed bool
	refused       error
	// tries counts the failures whose reason is not known.
	tries int
}

// read decodes a record. One that cannot be read is refused.
func (c *Consumer) read(record *kgo.Record) *item {
	it := &item{record: record}
	if err := safely.Do(func() error { return c.decode(it) }); err != nil {
		it.done, it.refused = true, catalog.Errorf(catalog.Invalid, "the record cannot be read: %w", err)
	}
	return it
}

func (c *Consumer) decode(it *item) error {
	if it.record.Topic == c.snapshots {
		text, err := wire.DecodeSnapshot(it.record.Value)
		if err != nil {
			return err
		}
		return c.decodeJSON(it, text)
	}
	p, text, err := wire.DecodeProposal(it.record.Value)
	if err != nil {
		return err
	}
	if text != nil {
		return c.decodeJSON(it, text)
	}
	it.proposal = proposalOf(p)
	return nil
}

func proposalOf(p *wire.Proposal) *catalog.Proposal {
	return &catalog.Proposal{
		EntityType: p.EntityType, EntityURN: or(p.EntityURN), EntityKeyAspect: aspectOf(p.EntityKeyAspect), ChangeType: p.ChangeType,
		AspectName: or(p.AspectName), Aspect: aspectOf(p.Aspect), System: systemOf(p.System), Headers: p.Headers,
	}
}

func aspectOf(a *wire.GenericAspect) *catalog.GenericAspect {
	if a == nil {
		return nil
	}
	return &catalog.GenericAspect{Value: a.Value, ContentType: a.ContentType}
}

func systemOf(s *wire.SystemMetadata) *catalog.SystemMetadata {
	if s == nil {
		return nil
	}
	return &catalog.SystemMetadata{
		LastObserved: or(s.LastObserved), RunID: or(s.RunID), PipelineName: or(s.PipelineName), RegistryName: or(s.RegistryName),
		RegistryVersion: or(s.RegistryVersion), Properties: s.Properties, SchemaVersion: or(s.SchemaVersion),
	}
}

// or is what a pointer points to, or the zero value.
func or[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// decodeJSON reads a proposal or a snapshot in one of the forms that files have.
func (c *Consumer) decodeJSON(it *item, text json.RawMessage) error {
	found, err := c.Catalog.Registry().DecodeFileRecord(text)
	if err != nil {
		return err
	}
	var system *catalog.SystemMetadata
	if found.System != nil {
		if err := json.Unmarshal(found.System, &system); err != nil {
			return err
		}
	}
	if found.Snapshot != nil {
		it.snapshot = &catalog.Snapshot{Value: found.Snapshot, System: system}
		return nil
	}
	var more struct {
		Headers map[string]string `json:"headers"`
	}
	if err := json.Unmarshal(text, &more); err != nil {
		return err
	}
	p := found.Proposal
	it.proposal = &catalog.Proposal{
		EntityType: p.EntityType, EntityURN: p.EntityURN, EntityKeyAspect: contentOf(p.KeyAspect), ChangeType: p.ChangeType,
		AspectName: p.AspectName, Aspect: contentOf(p.Aspect), System: system, Headers: more.Headers,
	}
	return nil
}

func contentOf(content *model.GenericContent) *catalog.GenericAspect {
	if content == nil {
		return nil
	}
	return &catalog.GenericAspect{Value: []byte(content.Value), ContentType: content.ContentType}
}
