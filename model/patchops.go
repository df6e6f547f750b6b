package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/checktext"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
)

// Operations is a parsed patch within the limits of package limits. It is a list of
// operations in the form of JSON Patch (RFC 6902), or an object with such a list and the
// keys of arrays. The operations are add, remove and replace.
type Operations struct {
	list []operation
	// size is the size of the patch in bytes.
	size int
	// generic: the patch brings the keys of arrays and needs no template.
	generic bool
	arrays  []keyedArray
	// levels is the total number of keys of the arrays.
	levels int
}

// The operations of a patch.
const (
	opAdd     = "add"
	opRemove  = "remove"
	opReplace = "replace"
)

// operation is one step of a patch.
type operation struct {
	Op    string          `json:"op"`
	Path  *string         `json:"path"`
	Value json.RawMessage `json:"value"`

	path []string
}

// ReadPatch reads a patch in either form. Errors are *PatchError.
func ReadPatch(text []byte) (*Operations, error) {
	if err := checktext.JSON(text); err != nil {
		return nil, &PatchError{Reason: "the patch is not a JSON patch: " + err.Error()}
	}
	p := &Operations{size: len(text)}
	if trimmed := bytes.TrimLeft(text, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return p, p.readList(text)
	}
	var object struct {
		Patch   json.RawMessage     `json:"patch"`
		Keys    map[string][]string `json:"arrayPrimaryKeys"`
		Generic bool                `json:"forceGenericPatch"`
	}
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, &PatchError{Reason: fmt.Sprintf("the patch is not a JSON patch: %.200s", err)}
	}
	if object.Patch == nil {
		return nil, &PatchError{Reason: "the patch is not a JSON patch: it is an object without a patch"}
	}
	if err := p.readList(object.Patch); err != nil {
		return nil, err
	}
	p.generic = object.Generic || len(object.Keys) > 0
	return p, p.readKeys(object.Keys)
}

func (p *Operations) readList(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if token, err := decoder.Token(); err != nil || token != json.Delim('[') {
		return &PatchError{Reason: "the patch is not a JSON patch: it is not an array of operations"}
	}
	for decoder.More() {
		if len(p.list) == limits.MaxPatchOperations {
			return &PatchError{Reason: fmt.Sprintf("the patch has more than %d operations", limits.MaxPatchOperations)}
		}
		var o operation
		if err := decoder.Decode(&o); err != nil {
			return &PatchError{Reason: fmt.Sprintf("the patch is not a JSON patch: %.200s", err)}
		}
		if err := o.check(); err != nil {
			return err
		}
		p.list = append(p.list, o)
	}
	if _, err := decoder.Token(); err != nil {
		return &PatchError{Reason: fmt.Sprintf("the patch is not a JSON patch: %.200s", err)}
	}
	if _, err := decoder.Token(); err != io.EOF {
		return &PatchError{Reason: "the patch is followed by more text"}
	}
	return nil
}

// readKeys reads the keys of arrays. The items of an array without keys are their own keys.
func (p *Operations) readKeys(keys map[string][]string) error {
	for field, of := range keys {
		a := bySelf(field)
		if len(of) > 0 {
			a = byKey(field, of...)
		}
		for _, path := range a.keys {
			if len(a.keys) >= limits.MaxPatchPath || len(path) > limits.MaxPatchPath {
				return &PatchError{Reason: fmt.Sprintf("the keys of %.100q have more than %d levels, the limit", field, limits.MaxPatchPath-1)}
			}
		}
		p.arrays, p.levels = append(p.arrays, a), p.levels+len(a.keys)
	}
	return nil
}

// Texts returns the texts in the values of the operations, and the steps of their paths.
func (p *Operations) Texts() []string {
	var texts []string
	var gather func(value any)
	gather = func(value any) {
		switch v := value.(type) {
		case string:
			texts = append(texts, v)
		case []any:
			for _, item := range v {
				gather(item)
			}
		case map[string]any:
			for name, member := range v {
				texts = append(texts, name)
				gather(member)
			}
		}
	}
	for i := range p.list {
		texts = append(texts, p.list[i].path...)
		if value, err := p.list[i].decoded(); err == nil { // a value that cannot be decoded is never written
			gather(value)
		}
	}
	return texts
}

// Touches reports whether an operation changes a member of the value, or the whole value.
func (p *Operations) Touches(member string) bool {
	return slices.ContainsFunc(p.list, func(o operation) bool { return len(o.path) == 0 || o.path[0] == member })
}

// Size returns the size of the patch's text in bytes.
func (p *Operations) Size() int { return p.size }

// Small reports whether applying the patch costs about as much as reading the patch and the
// value.
func (p *Operations) Small() bool { return len(p.list)+p.levels <= smallPatch }

// smallPatch is the largest number of operations and keys of a small patch.
const smallPatch = 50

func (o *operation) check() error {
	switch o.Op {
	case opAdd, opReplace:
		if o.Value == nil {
			return &PatchError{Reason: "an operation has no value"}
		}
	case opRemove:
		o.Value = nil // some senders add a value to a removal
	case "move", "copy", "test":
		return &PatchError{Reason: "the operation " + o.Op + " is not supported: a patch may add, remove and replace"}
	default:
		return &PatchError{Reason: "the patch is not a JSON patch: an operation is none of add, remove and replace"}
	}
	if o.Path == nil {
		return &PatchError{Reason: "an operation has no path"}
	}
	var err error
	o.path, err = pathOf(*o.Path)
	return err
}

// decoded returns the value of the operation. Each call returns a new copy, because the
// copy becomes part of the patched value.
func (o *operation) decoded() (any, error) {
	if o.Value == nil {
		return nil, nil
	}
	value, err := jsontree.Decode(o.Value)
	if err != nil {
		return nil, &PatchError{Reason: fmt.Sprintf("the patch is not a JSON patch: %.200s", err)}
	}
	return value, nil
}

// unescape decodes a token of a path.
var unescape = strings.NewReplacer("~1", "/", "~0", "~")

func pathOf(path string) ([]string, error) {
	if path != "" && path[0] != '/' {
		return nil, &PatchError{Reason: fmt.Sprintf("the path %.100q of an operation does not begin with /", path)}
	}
	if n := strings.Count(path, "/"); n > limits.MaxPatchPath {
		return nil, &PatchError{Reason: fmt.Sprintf("the path of an operation has %d levels, the limit is %d", n, limits.MaxPatchPath)}
	}
	tokens := strings.Split(path, "/")
	for i := range tokens {
		tokens[i] = unescape.Replace(tokens[i])
	}
	return tokens[1:], nil
}
