package wire

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/twmb/avro"
)

// Format is the format in which events are written.
type Format string

// The formats.
const (
	Avro Format = "avro"
	JSON Format = "json"
)

// Append appends an event to a buffer. The event is a pointer to one of the types of this
// package. In Avro, the event has the schema of the newest version.
func (f Format) Append(buffer []byte, event any) ([]byte, error) {
	if f == JSON {
		text, err := json.Marshal(event)
		return append(buffer, text...), err
	}
	id, err := newest(event)
	if err != nil {
		return buffer, err
	}
	buffer = binary.BigEndian.AppendUint32(append(buffer, 0), uint32(id))
	return schemas()[id-1].parsed.AppendEncode(buffer, event)
}

// AvroJSON returns an event in Avro's JSON, with the schema of the newest version.
func AvroJSON(event any) (string, error) {
	id, err := newest(event)
	if err != nil {
		return "", err
	}
	text, err := schemas()[id-1].parsed.EncodeJSON(event, avro.TaggedUnions())
	return string(text), err
}

func newest(event any) (int, error) {
	switch event.(type) {
	case *MetadataChangeProposal:
		return proposal2, nil
	case *MetadataChangeLog:
		return log2, nil
	case *FailedMetadataChangeProposal:
		return failed2, nil
	case *PlatformEvent:
		return platform1, nil
	}
	return 0, fmt.Errorf("%T is not an event that is written", event)
}
