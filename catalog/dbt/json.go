package dbt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// object is a JSON object in the order of its text. The zero value is an empty object.
type object struct {
	names  []string
	values map[string]json.RawMessage
}

// UnmarshalJSON decodes an object; null is an empty one. Of two members with one name, the last one counts.
func (o *object) UnmarshalJSON(text []byte) error {
	*o = object{}
	if string(bytes.TrimSpace(text)) == "null" {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	return members(decoder, func(name string) error {
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		if o.values == nil {
			o.values = map[string]json.RawMessage{}
		}
		if _, known := o.values[name]; !known {
			o.names = append(o.names, name)
		}
		o.values[name] = value
		return nil
	})
}

// get returns a member, and nil if it is absent or null.
func (o object) get(name string) json.RawMessage {
	value := o.values[name]
	if string(value) == "null" {
		return nil
	}
	return value
}

// text returns a member that is a string, "" for any other member.
func (o object) text(name string) string {
	var text string
	_ = json.Unmarshal(o.values[name], &text) // another value counts as absent
	return text
}

// members reads an object, and calls read for each name. read consumes the value.
func members(decoder *json.Decoder, read func(name string) error) error {
	begin, err := decoder.Token()
	if err != nil {
		return err
	}
	if begin == nil {
		return nil
	}
	if begin != json.Delim('{') {
		return errors.New("it must be an object")
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		if err := read(fmt.Sprint(name)); err != nil {
			return err
		}
	}
	_, err = decoder.Token()
	return err
}

// elements reads a list, and calls read for each element, which read consumes.
func elements(decoder *json.Decoder, read func(number int) error) error {
	begin, err := decoder.Token()
	if err != nil {
		return err
	}
	if begin != json.Delim('[') {
		return errors.New("it must be a list")
	}
	for number := 0; decoder.More(); number++ {
		if err := read(number); err != nil {
			return err
		}
	}
	_, err = decoder.Token()
	return err
}

// discard reads a value and forgets it.
func discard(decoder *json.Decoder) error {
	var value json.RawMessage
	return decoder.Decode(&value)
}

// pathError is an error at a place of an artifact.
type pathError struct {
	path string
	err  error
}

func (e *pathError) Error() string { return fmt.Sprintf("%s: %v", e.path, e.err) }
func (e *pathError) Unwrap() error { return e.err }

// at adds a place to an error. Types that do not fit name the member below it.
func at(path string, err error) error {
	if err == nil {
		return nil
	}
	var inner *pathError
	if errors.As(err, &inner) {
		if strings.HasPrefix(inner.path, "$") {
			return err
		}
		return &pathError{path + "." + inner.path, inner.err}
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		if wrong.Field != "" {
			path += "." + wrong.Field
		}
		return &pathError{path, fmt.Errorf("it must not be a JSON %s", wrong.Value)}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = errors.New("the file ends here, so it is incomplete")
	}
	return &pathError{path, err}
}

// element is the place of an element of a list.
func element(path string, number int) string { return fmt.Sprintf("%s[%d]", path, number) }
