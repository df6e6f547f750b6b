package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/internal/checktext"
	"github.com/headwater-io/headwater/internal/limits"
)

// Value is a decoded aspect value.
type Value struct {
	Aspect *Aspect
	// Tree is the decoded record; numbers are json.Number.
	Tree map[string]any
	// JSON is the text of Tree without insignificant space.
	JSON json.RawMessage
}

// SyntaxError says that a text is not the JSON object it should be.
type SyntaxError struct{ Reason string }

func (e *SyntaxError) Error() string { return e.Reason }

// Fault is one way in which a value does not fit its record.
type Fault struct{ Path, Message string }

// ValidationError lists every fault of a value.
type ValidationError struct {
	// Record is the record's name in the dialect of the request.
	Record string
	Faults []Fault
}

// shownFaults is how many faults a message tells.
const shownFaults = 20

func (e *ValidationError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Failed to validate record with class %s:", e.Record)
	for i, f := range e.Faults {
		if i == shownFaults {
			fmt.Fprintf(&b, "\nand %d more", len(e.Faults)-i)
			break
		}
		b.WriteByte(" \n"[min(i, 1)])
		fmt.Fprintf(&b, "ERROR :: %s :: %s", f.Path, f.Message)
	}
	return b.String()
}

// Parse reads and validates an aspect's value as somebody sent it.
//
// Required fields must be there, unknown ones are refused, types, enums,
// unions and URNs must fit; nulls of optional fields are dropped, one-member
// unions are accepted bare, and record names of any dialect are rewritten to
// d's spelling. The errors are *SyntaxError, *ValidationError and, for a URN
// of a wrong type, *URNError.
func (r *Registry) Parse(d Dialect, aspect string, text []byte) (*Value, error) {
	a, ok := r.aspects[aspect]
	if !ok {
		return nil, &SyntaxError{Reason: "unknown aspect " + aspect}
	}
	if err := checktext.JSON(text); err != nil {
		return nil, &SyntaxError{Reason: "the value is not JSON: " + err.Error()}
	}
	tree, err := decodeObject(text)
	if err != nil {
		return nil, err
	}
	v := validator{registry: r, dialect: d}
	v.record(a.typ, tree)
	if len(v.faults) > 0 {
		return nil, &ValidationError{Record: d.RecordName(a.Record), Faults: v.faults}
	}
	if v.urn != nil {
		return nil, v.urn
	}
	value := &Value{Aspect: a, Tree: tree}
	if err := r.checkDestinations(value); err != nil {
		return nil, err
	}
	if columnEdges(value) > limits.MaxColumnEdges {
		return nil, &ValidationError{Record: d.RecordName(a.Record), Faults: []Fault{{
			"/fineGrainedLineages", fmt.Sprintf("states more than %d edges between columns, which is the limit", limits.MaxColumnEdges),
		}}}
	}
	if err := checkColumnPaths(value); err != nil {
		return nil, err
	}
	if v.changed {
		value.JSON, err = encode(tree)
	} else {
		value.JSON, err = compactJSON(text)
	}
	return value, err
}

// ParseStored decodes a value that was validated when it was written.
func (r *Registry) ParseStored(aspect string, text json.RawMessage) (*Value, error) {
	a, ok := r.aspects[aspect]
	if !ok {
		return nil, &SyntaxError{Reason: "unknown aspect " + aspect}
	}
	tree, err := decodeObject(text)
	return &Value{Aspect: a, Tree: tree, JSON: text}, err
}

// Equal reports whether two JSON texts say the same, whatever the order of
// their members or the spelling of their numbers.
func Equal(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, err := decode(a)
	if err != nil {
		return false
	}
	y, err := decode(b)
	return err == nil && equalTrees(x, y)
}

// Equal reports whether two values say the same.
func (v *Value) Equal(other *Value) bool {
	return bytes.Equal(v.JSON, other.JSON) || equalTrees(v.Tree, other.Tree)
}

func equalTrees(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, x := range a {
			y, ok := b[k]
			if !ok || !equalTrees(x, y) {
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
			if !equalTrees(a[i], b[i]) {
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
			return false // two integers with different digits
		}
	}
	x, errX := strconv.ParseFloat(string(a), 64)
	y, errY := strconv.ParseFloat(string(b), 64)
	return errX == nil && errY == nil && x == y
}

func decodeObject(text []byte) (map[string]any, error) {
	tree, err := decode(text)
	if err != nil {
		return nil, err
	}
	object, ok := tree.(map[string]any)
	if !ok {
		return nil, &SyntaxError{Reason: "the value is not a JSON object"}
	}
	return object, nil
}

func decode(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, &SyntaxError{Reason: "the value is not JSON: " + err.Error()}
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, &SyntaxError{Reason: "the value is followed by more text"}
	}
	return tree, nil
}

func encode(tree any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(tree); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// compactJSON always copies: the input may be a buffer that is used again.
func compactJSON(text []byte) (json.RawMessage, error) {
	b := bytes.NewBuffer(make([]byte, 0, len(text)))
	err := json.Compact(b, text)
	return b.Bytes(), err
}
