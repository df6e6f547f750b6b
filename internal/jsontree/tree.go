// Package jsontree reads and edits decoded JSON: objects are map[string]any, arrays []any,
// numbers json.Number.
//
// Functions that read a member by name never fail: for a member that is missing or of
// another kind, they return the zero value.
package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Object is a decoded JSON object.
type Object = map[string]any

var errNoObject = errors.New("the value is not a JSON object")

// DecodeObject decodes a JSON text, and returns an error if it is not an object.
func DecodeObject(text []byte) (Object, error) {
	tree, err := Decode(text)
	if err != nil {
		return nil, err
	}
	object, ok := tree.(Object)
	if !ok {
		return nil, errNoObject
	}
	return object, nil
}

// Encode encodes a tree as JSON, without escaping <, > and &. It cannot fail for a decoded
// tree.
func Encode(tree any) (json.RawMessage, error) {
	return jsonv2.Marshal(tree, plain)
}

// AppendText appends a text as a JSON string, without escaping <, > and &. Invalid Unicode
// becomes U+FFFD.
func AppendText(to []byte, text string) []byte {
	to, _ = jsontext.AppendQuote(to, text) // the only error is invalid Unicode, which is replaced
	return to
}

// Equal reports whether two trees are equal. Different spellings of a number are equal.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case Object:
		b, ok := b.(Object)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, x := range a {
			y, ok := b[k]
			if !ok || !Equal(x, y) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !Equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case json.Number:
		b, ok := b.(json.Number)
		return ok && equalNumbers(a, b)
	}
	return a == b
}

func equalNumbers(a, b json.Number) bool {
	if a == b {
		return true
	}
	if _, err := a.Int64(); err == nil {
		if _, err := b.Int64(); err == nil {
			return false // two integers with different digits differ
		}
	}
	x, errX := strconv.ParseFloat(string(a), 64)
	y, errY := strconv.ParseFloat(string(b), 64)
	return errX == nil && errY == nil && x == y
}

// Text returns a member that is a string, "" for any other member.
func Text(object Object, name string) string {
	text, _ := object[name].(string)
	return text
}

// Member returns a member that is an object, nil for any other member.
func Member(object Object, name string) Object {
	member, _ := object[name].(Object)
	return member
}

// Array returns a member that is an array, nil for any other member.
func Array(object Object, name string) []any {
	array, _ := object[name].([]any)
	return array
}

// Items returns the objects in a member that is an array. The slice is a copy; the objects
// are those of the tree.
func Items(object Object, name string) []Object {
	array := Array(object, name)
	items := make([]Object, 0, len(array))
	for _, item := range array {
		if item, ok := item.(Object); ok {
			items = append(items, item)
		}
	}
	return items
}

// SetItems sets a member to an array of objects.
func SetItems(object Object, name string, items []Object) {
	array := make([]any, len(items))
	for i, item := range items {
		array[i] = item
	}
	object[name] = array
}

// Texts returns the strings in a member that is an array.
func Texts(object Object, name string) []string {
	var texts []string
	for _, item := range Array(object, name) {
		if text, ok := item.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// Flat returns the items of an array. For any other value, it returns a list with this
// value.
func Flat(node any) []any {
	if array, ok := node.([]any); ok {
		return array
	}
	return []any{node}
}

// EqualText reports whether two JSON texts are equal, apart from the order of members and
// the spelling of numbers.
func EqualText(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, err := Decode(a)
	if err != nil {
		return false
	}
	y, err := Decode(b)
	return err == nil && Equal(x, y)
}
