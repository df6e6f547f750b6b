package rest

import (
	"encoding/json"
	"reflect"
)

// wireInt, wireInt64 and wireBool are numbers and truth values of a body. A caller may
// put them in quotes, as Rest.li lets callers do and the reference's documents do with
// times.
type (
	wireInt   int
	wireInt64 int64
	wireBool  bool
)

func (n *wireInt) UnmarshalJSON(text []byte) error { return unquoted(text, (*int)(n)) }

func (n *wireInt64) UnmarshalJSON(text []byte) error { return unquoted(text, (*int64)(n)) }

func (b *wireBool) UnmarshalJSON(text []byte) error { return unquoted(text, (*bool)(b)) }

// unquoted decodes a value that may be in quotes.
func unquoted[T int | int64 | bool](text []byte, into *T) error {
	if len(text) == 0 || text[0] != '"' {
		return json.Unmarshal(text, into)
	}
	var inner string
	if err := json.Unmarshal(text, &inner); err != nil {
		return err
	}
	if inner == "null" || json.Unmarshal([]byte(inner), into) != nil {
		return &json.UnmarshalTypeError{Value: "string", Type: reflect.TypeFor[T]()}
	}
	return nil
}
