package jsontree

import jsonv1 "github.com/go-json-experiment/json/v1"

// Marshal is json.Marshal, with the same text, in less than half the time for a value with many
// json.RawMessage: encoding/json reads each of them a second time to write it.
func Marshal(value any) ([]byte, error) { return jsonv1.Marshal(value) }

// Unmarshal is json.Unmarshal, with the same result, in less time: encoding/json reads a text
// twice, and the texts of methods UnmarshalJSON more often.
func Unmarshal(text []byte, into any) error { return jsonv1.Unmarshal(text, into) }
