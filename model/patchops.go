package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/headwater-io/headwater/internal/checktext"
	"github.com/headwater-io/headwater/internal/limits"
)

// Operations are a parsed JSON patch (RFC 6902) that is within the limits of
// package limits.
type Operations struct {
	list []operation
	// size is the size of the patch in bytes.
	size int
	// copies reports whether a value is copied within the document.
	copies bool
}

// operation is one step of a patch.
type operation struct {
	Op    string          `json:"op"`
	Path  *string         `json:"path"`
	From  *string         `json:"from"`
	Value json.RawMessage `json:"value"`

	path []string
}

// ReadPatch reads a JSON patch. Errors are *PatchError.
func ReadPatch(text []byte) (*Operations, error) {
	if err := checktext.JSON(text); err != nil {
		return nil, &PatchError{Reason: "the patch is not a JSON patch: " + err.Error()}
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if token, err := decoder.Token(); err != nil || token != json.Delim('[') {
		return nil, &PatchError{Reason: "the patch is not a JSON patch: it is not an array of operations"}
	}
	p := &Operations{size: len(text)}
	for decoder.More() {
		if len(p.list) == limits.MaxPatchOperations {
			return nil, &PatchError{Reason: fmt.Sprintf("the patch has more than %d operations", limits.MaxPatchOperations)}
		}
		var o operation
		if err := decoder.Decode(&o); err != nil {
			return nil, &PatchError{Reason: fmt.Sprintf("the patch is not a JSON patch: %.200s", err)}
		}
		if err := o.check(); err != nil {
			return nil, err
		}
		p.copies = p.copies || o.Op == "copy"
		p.list = append(p.list, o)
	}
	if _, err := decoder.Token(); err != nil {
		return nil, &PatchError{Reason: fmt.Sprintf("the patch is not a JSON patch: %.200s", err)}
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, &PatchError{Reason: "the patch is followed by more text"}
	}
	return p, nil
}

// Size returns the size of the patch's text in bytes.
func (p *Operations) Size() int { return p.size }

// Small reports whether the cost of the patch is about that of reading it and
// the value that it is applied to.
func (p *Operations) Small() bool { return !p.copies && len(p.list) <= smallPatch }

// smallPatch is how many operations a small patch may have.
const smallPatch = 50

func (o *operation) check() error {
	var err error
	switch o.Op {
	case "add", "replace":
		if o.Value == nil {
			return &PatchError{Reason: "an operation has no value"}
		}
	case "copy", "move":
		if o.From == nil {
			return &PatchError{Reason: "a " + o.Op + " operation has no from"}
		}
		if _, err = pathOf(*o.From); err != nil {
			return err
		}
	case "remove", "test":
	default:
		return &PatchError{Reason: "the patch is not a JSON patch: an operation is none of add, remove, replace, move, copy and test"}
	}
	if o.Path == nil {
		return &PatchError{Reason: "an operation has no path"}
	}
	o.path, err = pathOf(*o.Path)
	return err
}

// unescape returns the name that a token of a path stands for.
var unescape = strings.NewReplacer("~1", "/", "~0", "~")

func pathOf(path string) ([]string, error) {
	if n := strings.Count(path, "/"); n > limits.MaxPatchPath {
		return nil, &PatchError{Reason: fmt.Sprintf("the path of an operation has %d levels, the limit is %d", n, limits.MaxPatchPath)}
	}
	tokens := strings.Split(path, "/")
	for i := range tokens {
		tokens[i] = unescape.Replace(tokens[i])
	}
	return tokens[1:], nil
}

// patch returns the patch in the form of the library.
func (p *Operations) patch() jsonpatch.Patch {
	quoted := func(text string) *json.RawMessage {
		raw, _ := json.Marshal(text) // a string has a JSON form
		return (*json.RawMessage)(&raw)
	}
	patch := make(jsonpatch.Patch, len(p.list))
	for i := range p.list {
		o := &p.list[i]
		patch[i] = jsonpatch.Operation{"op": quoted(o.Op), "path": quoted(*o.Path)}
		if o.From != nil {
			patch[i]["from"] = quoted(*o.From)
		}
		if o.Value != nil {
			patch[i]["value"] = &o.Value
		}
	}
	return patch
}

// checkWork refuses a patch that would read a document too often: some operations
// read all of it.
func (p *Operations) checkWork(document int) error {
	work := 0
	for i := range p.list {
		o := &p.list[i]
		_, indexed := index(o.path[max(len(o.path)-1, 0):])
		if o.Op == "test" || o.Op == "copy" || o.Op == "move" || indexed && o.Op != "replace" {
			work += document + p.size
		}
		if work > limits.MaxPatchWork {
			return &PatchError{TooLarge: true, Reason: fmt.Sprintf(
				"the patch reads more than %d bytes: send fewer test, copy and move operations, or fewer in arrays", limits.MaxPatchWork)}
		}
	}
	return nil
}

// index reads the first of some tokens as the index of an array.
func index(tokens []string) (int, bool) {
	if len(tokens) == 0 {
		return 0, false
	}
	n, err := strconv.Atoi(tokens[0])
	return n, err == nil
}

// checkPadding refuses indexes far beyond the end of an array, because adding
// there would fill the gap. The keys of maps that stand for keyed arrays may look
// like numbers.
func (p *Operations) checkPadding(value map[string]any) error {
	replaced := func(field string) bool {
		return slices.ContainsFunc(p.list, func(o operation) bool {
			return len(o.path) == 0 || len(o.path) == 1 && o.path[0] == field ||
				o.Op == "move" && (*o.From == "" || strings.Count(*o.From, "/") == 1)
		})
	}
	for i := range p.list {
		o := &p.list[i]
		if o.Op != "add" {
			continue
		}
		for level := 1; level < len(o.path); level++ {
			if n, ok := index(o.path[level:]); !ok || -limits.MaxPatchIndex <= n && n <= limits.MaxPatchIndex {
				continue
			}
			if _, isMap := value[o.path[0]].(map[string]any); level == 1 && isMap && !replaced(o.path[0]) {
				continue
			}
			return &PatchError{Reason: fmt.Sprintf("the path of an operation has the index %.20s, the limit is %d", o.path[level], limits.MaxPatchIndex)}
		}
	}
	return nil
}
