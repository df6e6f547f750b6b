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

// Texts are read with jsontext, the coming package encoding/json/jsontext: it reads a
// text once, where encoding/json reads it twice or three times. It is set to accept
// what encoding/json accepts.
var asEncodingJSON = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// Decode reads a JSON text. It fails when the text is not JSON, or more than
// one value. If an object has a member twice, the last one counts.
func Decode(text []byte) (any, error) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text), asEncodingJSON...)
	tree, err := next(decoder)
	if err != nil {
		return nil, fmt.Errorf("the value is not JSON: %s", strings.TrimPrefix(err.Error(), "jsontext: "))
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the value is followed by more text")
	}
	return tree, nil
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
		name := token.String() // the token is valid until the next one
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

// Compact returns a copy of a JSON text without insignificant space.
func Compact(text []byte) (json.RawMessage, error) {
	compact := jsontext.Value(bytes.Clone(text))
	err := compact.Compact(asEncodingJSON...)
	return json.RawMessage(compact), err
}
