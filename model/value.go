package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/headwater-io/headwater/internal/checktext"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
)

// Value is a decoded aspect value.
type Value struct {
	Aspect *Aspect
	// Tree is the decoded record; numbers are json.Number.
	Tree map[string]any
	// JSON is the text of Tree without insignificant space.
	JSON json.RawMessage
	// ModifiedOn is when the value became the latest one, in epoch milliseconds; 0 if it is
	// not known.
	ModifiedOn int64
	// Unknown are the kept members that their records lack, see [Registry.ParseKeeping].
	Unknown []UnknownMember
}

// SyntaxError is the error of a text that is not a JSON object.
type SyntaxError struct{ Reason string }

func (e *SyntaxError) Error() string { return e.Reason }

// Fault is one fault of a value: a place at which it does not fit its record.
type Fault struct{ Path, Message string }

// ValidationError has the faults of a value.
type ValidationError struct {
	// Record is the record's name in the dialect of the request.
	Record string
	Faults []Fault
}

// shownFaults is the largest number of faults that a message lists.
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

// Parse decodes and validates an aspect's value from a caller.
//
// Required fields must be present, unknown fields are refused, and types, enums, unions and URNs
// must match. Nulls of optional fields are removed, one-member unions are accepted without their
// wrapper, and record names of any dialect are converted to the names of d. The errors are
// *SyntaxError, *ValidationError and, for a URN of a wrong type, *URNError.
func (r *Registry) Parse(d Dialect, aspect string, text []byte) (*Value, error) {
	if _, ok := r.aspects[aspect]; !ok {
		return nil, &SyntaxError{Reason: "unknown aspect " + aspect}
	}
	return r.parse(d, aspect, text, nil, nil)
}

// parse decodes and validates a value. derive, unless it is nil, changes the decoded value before
// the validation.
func (r *Registry) parse(d Dialect, aspect string, text []byte, keep func(UnknownMember) bool, derive func(map[string]any) *Fault) (*Value, error) {
	a := r.AnyAspect(aspect)
	if err := checktext.JSON(text); err != nil {
		return nil, &SyntaxError{Reason: "the value is not JSON: " + err.Error()}
	}
	tree, err := decodeObject(text)
	if err != nil {
		return nil, err
	}
	if derive != nil {
		if fault := derive(tree); fault != nil {
			return nil, &ValidationError{Record: d.RecordName(a.Record), Faults: []Fault{*fault}}
		}
	}
	v := validator{registry: r, dialect: d, keep: keep}
	v.record(a.typ, tree)
	if len(v.faults) > 0 {
		return nil, &ValidationError{Record: d.RecordName(a.Record), Faults: v.faults}
	}
	if v.urn != nil {
		return nil, v.urn
	}
	value := &Value{Aspect: a, Tree: tree, Unknown: v.kept}
	if err := r.checkDestinations(value); err != nil {
		return nil, err
	}
	if s := columnStatements[aspect]; s.pairs(value) > limits.MaxColumnEdges {
		return nil, &ValidationError{Record: d.RecordName(a.Record), Faults: []Fault{{
			"/" + s.list, fmt.Sprintf("states more than %d edges between columns, which is the limit", limits.MaxColumnEdges),
		}}}
	}
	if err := checkColumnPaths(value); err != nil {
		return nil, err
	}
	if v.changed || derive != nil {
		value.JSON, err = jsontree.Encode(tree)
	} else {
		value.JSON, err = jsontree.Compact(text)
	}
	return value, err
}

// ParseStored decodes a value that was validated when it was written. The model may lack
// the aspect.
func (r *Registry) ParseStored(aspect string, text json.RawMessage) (*Value, error) {
	tree, err := decodeObject(text)
	return &Value{Aspect: r.AnyAspect(aspect), Tree: tree, JSON: text}, err
}

// Equal reports whether two values are equal.
func (v *Value) Equal(other *Value) bool {
	return bytes.Equal(v.JSON, other.JSON) || jsontree.Equal(v.Tree, other.Tree)
}

func decodeObject(text []byte) (map[string]any, error) {
	object, err := jsontree.DecodeObject(text)
	if err != nil {
		return nil, &SyntaxError{Reason: err.Error()}
	}
	return object, nil
}
