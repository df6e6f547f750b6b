package proposals

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/kafka/wire"
	"github.com/headwater-io/headwater/model"
)

// item is a record with the result of its write. One of proposal, snapshot and event is set, unless
// the record could not be read.
type item struct {
	record *kgo.Record
	// cost is the memory, in bytes, that the decoding of the record takes.
	cost int64
	// sent is the proposal in its original form, if it came in Avro.
	sent     *wire.MetadataChangeProposal
	proposal *write.Proposal
	snapshot *write.Snapshot
	event    json.RawMessage
	// done: the record was written, or it cannot be written for the reason in refused.
	done, changed bool
	refused       error
	// tries counts the failures without a known reason.
	tries int
}

// kind is a kind of items, which are written together.
type kind int

const (
	proposalItem kind = iota
	snapshotItem
	eventItem
)

func (it *item) kind() kind {
	switch {
	case it.snapshot != nil:
		return snapshotItem
	case it.event != nil:
		return eventItem
	}
	return proposalItem
}

// value returns the value that is to be written, as JSON.
func (it *item) value() []byte {
	switch {
	case it.snapshot != nil:
		return it.snapshot.Value
	case it.event != nil:
		return it.event
	case it.proposal != nil && it.proposal.Aspect != nil:
		return it.proposal.Aspect.Value
	}
	return nil
}

// readOne decodes a record that is not refused yet. A record that cannot be decoded is refused.
func (c *Consumer) readOne(it *item) {
	if it.done {
		return
	}
	if err := safely.Do(func() error { return c.decode(it) }); err != nil {
		it.done, it.refused = true, catalog.Errorf(catalog.Invalid, "the record cannot be read: %w", err)
	}
}

func (c *Consumer) decode(it *item) error {
	if it.record.Topic == c.Events {
		if !json.Valid(it.record.Value) {
			return errors.New("an OpenLineage event must be JSON")
		}
		it.event = it.record.Value
		return nil
	}
	if text := bytes.TrimLeft(it.record.Value, " \t\r\n"); bytes.HasPrefix(text, []byte("{")) {
		return c.decodeJSON(it, text)
	}
	event, err := decodeAvro(strings.TrimPrefix(it.record.Topic, c.Prefix), it.record.Value)
	if err != nil {
		return err
	}
	if p, ok := event.(*wire.MetadataChangeProposal); ok {
		it.sent, it.proposal = p, proposalOf(p)
		return nil
	}
	text, err := json.Marshal(event)
	if err != nil {
		return err
	}
	return c.decodeJSON(it, text)
}

// framing is the size of the framing: a zero byte and the number of the schema.
const framing = 5

// decodeAvro decodes a value. If the schema of the value has a number from another registry,
// decodeAvro tries the schemas of the topic, the newest first, and returns the first event that
// fits.
func decodeAvro(topic string, value []byte) (any, error) {
	event, err := wire.Decode(topic, value)
	if err == nil || len(value) < framing || value[0] != 0 {
		return event, err
	}
	if _, ours := wire.SchemaByID(int(binary.BigEndian.Uint32(value[1:framing]))); ours {
		return nil, err
	}
	schemas := wire.SchemasOf(topic)
	for i := len(schemas) - 1; i >= 0; i-- {
		renumbered := binary.BigEndian.AppendUint32([]byte{0}, uint32(schemas[i].ID)) //nolint:gosec // numbers of schemas are small
		if event, err := wire.Decode(topic, append(renumbered, value[framing:]...)); err == nil {
			return event, nil
		}
	}
	return nil, err
}

func proposalOf(p *wire.MetadataChangeProposal) *write.Proposal {
	return &write.Proposal{
		EntityType: p.EntityType, EntityURN: or(p.EntityURN), EntityKeyAspect: aspectOf(p.EntityKeyAspect), ChangeType: p.ChangeType,
		AspectName: or(p.AspectName), Aspect: aspectOf(p.Aspect), System: systemOf(p.SystemMetadata), Headers: or(p.Headers),
	}
}

func aspectOf(a *wire.Content) *write.GenericAspect {
	if a == nil {
		return nil
	}
	return &write.GenericAspect{Value: a.Value, ContentType: a.ContentType}
}

func systemOf(s *wire.SystemMetadata) *catalog.SystemMetadata {
	if s == nil {
		return nil
	}
	return &catalog.SystemMetadata{
		LastObserved: or(s.LastObserved), RunID: or(s.RunID), PipelineName: or(s.PipelineName), RegistryName: or(s.RegistryName),
		RegistryVersion: or(s.RegistryVersion), Properties: or(s.Properties), SchemaVersion: or(s.SchemaVersion),
	}
}

// or returns the value of a pointer, or the zero value if the pointer is nil.
func or[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// decodeUsual reads a proposal in the usual form. It returns nil for other forms.
func decodeUsual(text []byte) *write.Proposal {
	var usual write.ProposalJSON
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&usual); err != nil || usual.EntityType == "" || len(bytes.TrimSpace(text[decoder.InputOffset():])) > 0 {
		return nil
	}
	p := usual.Proposal()
	defaultType(p.EntityKeyAspect)
	defaultType(p.Aspect)
	return &p
}

// decodeJSON reads a proposal or a snapshot in one of the forms of files.
func (c *Consumer) decodeJSON(it *item, text json.RawMessage) error {
	if it.proposal = decodeUsual(text); it.proposal != nil {
		return nil
	}
	return c.decodeAnyJSON(it, text)
}

func (c *Consumer) decodeAnyJSON(it *item, text json.RawMessage) error {
	found, err := c.Writer.Registry().DecodeFileRecord(text)
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
		it.snapshot = &write.Snapshot{Value: found.Snapshot, System: system}
		return nil
	}
	var more struct {
		Headers map[string]string `json:"headers"`
	}
	if err := json.Unmarshal(text, &more); err != nil {
		return err
	}
	p := found.Proposal
	it.proposal = &write.Proposal{
		EntityType: p.EntityType, EntityURN: p.EntityURN, EntityKeyAspect: contentOf(p.KeyAspect), ChangeType: p.ChangeType,
		AspectName: p.AspectName, Aspect: contentOf(p.Aspect), System: system, Headers: more.Headers,
	}
	return nil
}

func contentOf(content *model.GenericContent) *write.GenericAspect {
	a := write.AspectOf(content)
	defaultType(a)
	return a
}

// defaultType sets the content type JSON if a value has no content type.
func defaultType(a *write.GenericAspect) {
	if a != nil && a.ContentType == "" {
		a.ContentType = "application/json"
	}
}
