package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

// MetadataChangeEvent is a legacy event that writes several aspects at once. Headwater only
// reads such events.
type MetadataChangeEvent struct {
	// Snapshot is the proposed snapshot in the JSON form of Avro, {"<record>": {"urn": …,
	// "aspects": […]}}, except that optional values are not in an object with the name of their
	// type. The client's files have this form too, and model.Registry.DecodeFileRecord reads
	// it.
	Snapshot json.RawMessage `json:"proposedSnapshot"`
	// SystemMetadata is nil if the writer gave no system metadata.
	SystemMetadata *SystemMetadata `json:"systemMetadata,omitempty"`
}

// Decode reads the value of a record from a topic, in either format. It returns one of
// *MetadataChangeProposal, *MetadataChangeLog, *FailedMetadataChangeProposal, *PlatformEvent
// and *MetadataChangeEvent. Errors say why the bytes cannot be decoded. The event does not
// share memory with the bytes.
func Decode(topic string, value []byte) (event any, err error) {
	defer func() {
		if r := recover(); r != nil { // one bad record must not end the server
			event, err = nil, fmt.Errorf("the record cannot be decoded: %v", r)
		}
	}()
	switch {
	case len(value) == 0:
		return nil, errors.New("the record is empty")
	case value[0] == 0:
		return decodeAvro(topic, value)
	case !bytes.HasPrefix(bytes.TrimLeft(value, " \t\r\n"), []byte("{")):
		return nil, errors.New("the record is neither Avro in Confluent's framing nor a JSON object")
	}
	event, err = empty(eventOf[topic])
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(value, event); err != nil {
		return nil, fmt.Errorf("the record is not a %s in JSON: %w", eventOf[topic], err)
	}
	return event, nil
}

const framing = 5 // a zero byte and the number of the schema

func decodeAvro(topic string, value []byte) (any, error) {
	if len(value) < framing {
		return nil, errors.New("the record ends within the number of its schema")
	}
	id := binary.BigEndian.Uint32(value[1:framing])
	schema, ok := SchemaByID(int(id))
	switch {
	case !ok:
		return nil, fmt.Errorf("the schema registry has no schema %d: the producer uses another registry", id)
	case schema.Name != eventOf[topic]:
		return nil, fmt.Errorf("schema %d is that of %s, which does not belong in this topic", id, schema.Name)
	}
	event, err := empty(schema.Name)
	if err != nil {
		return nil, err
	}
	if change, ok := event.(*MetadataChangeEvent); ok {
		return change, change.read(schema, value[framing:])
	}
	rest, err := schema.parsed.Decode(bytes.Clone(value[framing:]), event)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%d bytes follow its end", len(rest))
	}
	if err != nil {
		return nil, fmt.Errorf("the record is not a %s: %w", schema.Name, err)
	}
	return event, nil
}

func empty(name string) (any, error) {
	switch name {
	case "MetadataChangeProposal":
		return &MetadataChangeProposal{}, nil
	case "MetadataChangeLog":
		return &MetadataChangeLog{}, nil
	case "FailedMetadataChangeProposal":
		return &FailedMetadataChangeProposal{}, nil
	case "PlatformEvent":
		return &PlatformEvent{}, nil
	case "MetadataChangeEvent":
		return &MetadataChangeEvent{}, nil
	}
	return nil, errors.New("the topic is unknown")
}

// read decodes the Avro form of a legacy event.
func (e *MetadataChangeEvent) read(schema *Schema, value []byte) error {
	d := plainDecoder{rest: value, named: schema.named()}
	root := schema.parsed.Root()
	tree, err := d.value(root, 0)
	if err == nil && len(d.rest) > 0 {
		err = fmt.Errorf("%d bytes follow its end", len(d.rest))
	}
	if err != nil {
		return fmt.Errorf("the record is not a %s: %w", schema.Name, err)
	}
	text, err := json.Marshal(tree)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, e)
}
