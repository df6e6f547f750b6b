package call

import (
	"encoding/json"
	"reflect"
)

// Int, Int64 and Bool are numbers and truth values of a body. A caller may put them in
// quotes, as Rest.li permits and as the reference's documents do with times.
type (
	Int   int
	Int64 int64
	Bool  bool
)

func (n *Int) UnmarshalJSON(text []byte) error { return unquoted(text, (*int)(n)) }

func (n *Int64) UnmarshalJSON(text []byte) error { return unquoted(text, (*int64)(n)) }

func (b *Bool) UnmarshalJSON(text []byte) error { return unquoted(text, (*bool)(b)) }

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
