package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// headerSize is the size of Confluent's framing in bytes.
const headerSize = 5

// ErrNotFramed is the error of a value that is neither JSON nor framed Avro.
var ErrNotFramed = errors.New("the value is neither a JSON object nor Avro with the number of its schema")

// unframe splits a framed value.
func unframe(value []byte) (id int, body []byte, err error) {
	if len(value) < headerSize || value[0] != 0 {
		return 0, nil, ErrNotFramed
	}
	return int(binary.BigEndian.Uint32(value[1:headerSize])), value[headerSize:], nil
}

func frame(id int) []byte {
	return binary.BigEndian.AppendUint32([]byte{0}, uint32(id)) //nolint:gosec // numbers of schemas are small
}

// isJSON reports whether a value is a JSON object. Framed Avro begins with a zero.
func isJSON(value []byte) bool {
	for _, b := range value {
		switch b {
		case ' ', '\t', '\r', '\n':
			continue
		}
		return b == '{'
	}
	return false
}

// decodeAny decodes a framed value with the first schema of its topic that fits all of it.
func decodeAny(topic string, value []byte, decode func(s *Schema, body []byte) (rest []byte, err error)) error {
	id, body, err := unframe(value)
	if err != nil {
		return err
	}
	var first error
	for _, s := range ofTopic(topic, id) {
		rest, err := decode(s, body)
		if err == nil && len(rest) > 0 {
			err = fmt.Errorf("%d bytes follow the value", len(rest))
		}
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return fmt.Errorf("the value does not fit the schema of %s: %w", topic, first)
}
