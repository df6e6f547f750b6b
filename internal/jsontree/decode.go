package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Texts are read with jsontext, the future package encoding/json/jsontext. It reads a text
// once, while encoding/json reads it two or three times. These options make it accept the
// same texts as encoding/json.
var asEncodingJSON = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// Decode decodes a JSON text. It returns an error if the text is not one JSON value. If an
// object has two members with the same name, the last one counts.
func Decode(text []byte) (any, error) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text), asEncodingJSON...)
	tree, err := next(decoder)
	if err != nil {
		return nil, fmt.Errorf("the value is not JSON: %s", strings.TrimPrefix(err.Error(), "jsontext: "))
	}
	if err := ended(decoder); err != nil {
		return nil, err
	}
	return tree, nil
}

// ended returns an error if more text follows.
func ended(decoder *jsontext.Decoder) error {
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.New("the value is followed by more text")
	}
	return nil
}

// next reads a value.
func next(decoder *jsontext.Decoder) (any, error) {
	token, err := decoder.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case jsontext.KindBeginObject:
		return members(decoder)
	case jsontext.KindBeginArray:
		return elements(decoder)
	case jsontext.KindString:
		return token.String(), nil
	case jsontext.KindNumber:
		return json.Number(token.String()), nil
	case jsontext.KindTrue, jsontext.KindFalse:
		return token.Bool(), nil
	}
	return nil, nil
}

// members reads the rest of an object.
func members(decoder *jsontext.Decoder) (Object, error) {
	object := Object{}
	for {
		token, err := decoder.ReadToken()
		if err != nil || token.Kind() == jsontext.KindEndObject {
			return object, err
		}
		name := token.String() // a token is valid only until the next read
		if object[name], err = next(decoder); err != nil {
			return nil, err
		}
	}
}

// elements reads the rest of an array.
func elements(decoder *jsontext.Decoder) ([]any, error) {
	array := []any{}
	for decoder.PeekKind() != jsontext.KindEndArray {
		element, err := next(decoder)
		if err != nil {
			return nil, err
		}
		array = append(array, element)
	}
	_, err := decoder.ReadToken()
	return array, err
}

// MemberText is a member of an object as it stands in a text.
type MemberText struct {
	Name          string
	Quoted, Value json.RawMessage
}

// Members returns the members of an object in the order of its text, of which they are parts. It decodes none of their
// values. If two members have the same name, Members returns both.
func Members(text []byte) ([]MemberText, error) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text), asEncodingJSON...)
	part := func() (json.RawMessage, error) {
		value, err := decoder.ReadValue()
		end := decoder.InputOffset()
		return json.RawMessage(text[end-int64(len(value)) : end]), err
	}
	if open, err := decoder.ReadToken(); err != nil || open.Kind() != jsontext.KindBeginObject {
		return nil, errors.Join(errNoObject, err)
	}
	var members []MemberText
	for decoder.PeekKind() != jsontext.KindEndObject {
		quoted, err := part()
		if err != nil {
			return nil, err
		}
		value, err := part()
		if err != nil {
			return nil, err
		}
		name, _ := jsontext.AppendUnquote(nil, quoted) // the only error is invalid Unicode, which is replaced
		members = append(members, MemberText{string(name), quoted, value})
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, err
	}
	if err := ended(decoder); err != nil {
		return nil, err
	}
	return members, nil
}

// Compact returns a copy of a JSON text without insignificant space.
func Compact(text []byte) (json.RawMessage, error) {
	compact := jsontext.Value(bytes.Clone(text))
	err := compact.Compact(asEncodingJSON...)
	return json.RawMessage(compact), err
}
