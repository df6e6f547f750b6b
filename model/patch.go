package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// ErrNotPatchable: the aspect has no template for patches.
var ErrNotPatchable = errors.New("does not currently support patch operations")

// PatchError is why a patch could not be applied; the sender is at fault.
type PatchError struct {
	Reason string
	// TooLarge: the patch or its result exceeds a limit of size.
	TooLarge bool
}

func (e *PatchError) Error() string { return e.Reason }

// Stamp is who does something and when, in epoch milliseconds.
type Stamp struct {
	Time  int64
	Actor string
}

// template is how an aspect is patched: which arrays are addressed as maps, and
// what is patched if the aspect is absent.
type template struct {
	arrays []keyedArray
	// empty is what is patched when there is no value.
	empty emptyValue
	// parents: missing parents of an added path are created.
	parents bool
}

// keyedArray is an array whose items a patch addresses by key.
type keyedArray struct {
	field string
	// keys are the item's members that form the key, one map level each; the
	// empty name is the item itself.
	keys []string
	// inner are keyed arrays inside each item, reached through a member.
	inner map[string]keyedArray
}

var (
	tagArray  = keyedArray{field: "tags", keys: []string{"tag"}}
	termArray = keyedArray{field: "terms", keys: []string{"urn"}}
)

func byDestination(field string) keyedArray {
	return keyedArray{field: field, keys: []string{"destinationUrn"}}
}

func bySelf(field string) keyedArray { return keyedArray{field: field, keys: []string{""}} }

// emptyValue is a value whose members are empty: arrays, objects, and stamps of
// who patches it and when.
type emptyValue struct{ arrays, objects, stamps []string }

func (e *emptyValue) build(s Stamp) map[string]any {
	value := map[string]any{}
	for _, name := range e.arrays {
		value[name] = []any{}
	}
	for _, name := range e.objects {
		value[name] = map[string]any{}
	}
	for _, name := range e.stamps {
		value[name] = stampValue(s)
	}
	return value
}

func stampValue(s Stamp) map[string]any {
	return map[string]any{"time": json.Number(fmt.Sprint(s.Time)), "actor": s.Actor}
}

// templates are the aspects that can be patched.
var templates = map[string]template{
	AspectGlobalTags: {arrays: []keyedArray{tagArray}, empty: emptyValue{arrays: []string{"tags"}}},
	AspectGlossaryTerms: {
		arrays: []keyedArray{termArray},
		empty:  emptyValue{arrays: []string{"terms"}, stamps: []string{"auditStamp"}},
	},
	AspectOwnership: {
		arrays: []keyedArray{{field: "owners", keys: []string{"owner", "type"}}}, parents: true,
		empty: emptyValue{arrays: []string{"owners"}, stamps: []string{"lastModified"}},
	},
	AspectDatasetProperties: {
		arrays: []keyedArray{bySelf("tags")},
		empty:  emptyValue{arrays: []string{"tags"}, objects: []string{"customProperties"}},
	},
	AspectUpstreamLineage: {
		arrays: []keyedArray{{field: "upstreams", keys: []string{"dataset"}}},
		empty:  emptyValue{arrays: []string{"upstreams", "fineGrainedLineages"}},
	},
	AspectDataJobInputOutput: {
		arrays: []keyedArray{
			byDestination("inputDatajobEdges"), byDestination("inputDatasetEdges"), byDestination("outputDatasetEdges"),
			bySelf("inputDatasetFields"), bySelf("outputDatasetFields"),
		},
		empty: emptyValue{arrays: []string{
			"inputDatasets", "outputDatasets", "inputDatajobs", "inputDatajobEdges", "inputDatasetEdges",
			"outputDatasetEdges", "inputDatasetFields", "outputDatasetFields", "fineGrainedLineages",
		}},
	},
	AspectDataProductProperties: {arrays: []keyedArray{byDestination("assets")}, empty: emptyValue{arrays: []string{"assets"}}},
	AspectEditableSchemaMetadata: {
		arrays: []keyedArray{{
			field: "editableSchemaFieldInfo", keys: []string{"fieldPath"},
			inner: map[string]keyedArray{"globalTags": tagArray, "glossaryTerms": termArray},
		}},
		parents: true,
		empty:   emptyValue{arrays: []string{"editableSchemaFieldInfo"}, stamps: []string{"created", "lastModified"}},
	},
	AspectDataFlowInfo: {empty: emptyValue{objects: []string{"customProperties"}}},
	AspectDataJobInfo:  {empty: emptyValue{objects: []string{"customProperties"}}},
}

// Patchable reports whether an aspect can be patched.
func Patchable(aspect string) bool {
	_, ok := templates[aspect]
	return ok
}

// Patch applies a patch to the current value of an aspect, or to its empty
// template when current is nil. Arrays that have a key are addressed as maps by
// that key, and rebuilt from the maps' values. The result has at most maxBytes,
// and at most as many bytes are copied to make it.
//
// The result is not validated. Errors are [ErrNotPatchable] and *PatchError.
func (r *Registry) Patch(aspect string, current json.RawMessage, patch *Operations, stamp Stamp, maxBytes int) (json.RawMessage, error) {
	t, ok := templates[aspect]
	if !ok {
		return nil, fmt.Errorf("Aspect: %s %w", aspect, ErrNotPatchable) //nolint:staticcheck // the text clients know
	}
	value := t.empty.build(stamp)
	if err := patch.checkWork(len(current)); err != nil {
		return nil, err
	}
	if current != nil {
		var err error
		if value, err = decodeObject(current); err != nil {
			return nil, err
		}
	}
	order := keyOrder{}
	for _, array := range t.arrays {
		array.toMap(value, &order)
	}
	order.addTokens(patch)
	patched, err := t.apply(patch, value, maxBytes)
	if err != nil {
		return nil, err
	}
	for _, array := range t.arrays {
		array.toArray(patched, &order)
	}
	if a, known := r.Aspect(aspect); known {
		a.typ.complete(patched, stamp)
	}
	text, err := jsontree.Encode(patched)
	if err == nil && len(text) > maxBytes {
		return nil, tooLarge(aspect, maxBytes)
	}
	return text, err
}

func tooLarge(aspect string, maxBytes int) *PatchError {
	return &PatchError{TooLarge: true, Reason: fmt.Sprintf("the patch makes the aspect %s larger than the limit of %d bytes", aspect, maxBytes)}
}

func (t *template) apply(patch *Operations, value map[string]any, maxBytes int) (map[string]any, error) {
	if t.parents {
		if err := patch.checkPadding(value); err != nil {
			return nil, err
		}
	}
	document, err := jsontree.Encode(value)
	if err != nil {
		return nil, err
	}
	options := jsonpatch.NewApplyOptions()
	options.EnsurePathExistsOnAdd = t.parents
	options.AccumulatedCopySizeLimit = int64(maxBytes)
	result, err := patch.patch().ApplyWithOptions(document, options)
	var copied *jsonpatch.AccumulatedCopySizeError
	switch {
	case errors.As(err, &copied):
		return nil, &PatchError{TooLarge: true, Reason: fmt.Sprintf("the patch copies more than %d bytes", maxBytes)}
	case err != nil:
		return nil, &PatchError{Reason: fmt.Sprintf("the patch does not apply: %.200s", err)}
	}
	object, err := decodeObject(result)
	if err != nil {
		return nil, &PatchError{Reason: "the result of the patch is not an object"}
	}
	return object, nil
}

// keyOrder remembers in which order keys were first seen, so that rebuilt
// arrays keep their order and new items come last in the patch's order.
type keyOrder struct{ rank map[string]int }

func (o *keyOrder) add(key string) {
	if o.rank == nil {
		o.rank = map[string]int{}
	}
	if _, ok := o.rank[key]; !ok {
		o.rank[key] = len(o.rank)
	}
}

func (o *keyOrder) addTokens(patch *Operations) {
	for i := range patch.list {
		for _, token := range patch.list[i].path {
			o.add(token)
		}
	}
}

func (o *keyOrder) sorted(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		x, okX := o.rank[a]
		y, okY := o.rank[b]
		switch {
		case okX && okY:
			return x - y
		case okX != okY && okX:
			return -1
		case okX != okY:
			return 1
		}
		return strings.Compare(a, b)
	})
	return keys
}

// toMap replaces the array in object by maps.
func (a keyedArray) toMap(object map[string]any, order *keyOrder) {
	items, ok := object[a.field].([]any)
	if !ok {
		return
	}
	root := map[string]any{}
	for _, item := range items {
		if inner, ok := item.(map[string]any); ok {
			for member, array := range a.inner {
				if holder, ok := inner[member].(map[string]any); ok {
					array.toMap(holder, order)
				}
			}
		}
		level := root
		for depth, name := range a.keys {
			key := keyText(item, name)
			order.add(key)
			if depth == len(a.keys)-1 {
				level[key] = item
				break
			}
			next, ok := level[key].(map[string]any)
			if !ok {
				next = map[string]any{}
				level[key] = next
			}
			level = next
		}
	}
	object[a.field] = root
}

func keyText(item any, name string) string {
	if name == "" {
		text, _ := item.(string)
		return text
	}
	object, _ := item.(map[string]any)
	return jsontree.Text(object, name)
}

// toArray turns the maps back. An array that the patch put there remains, and so
// does anything else that is not a map: validation reports it.
func (a keyedArray) toArray(object map[string]any, order *keyOrder) {
	root, ok := object[a.field].(map[string]any)
	if !ok {
		return
	}
	items := []any{}
	var collect func(level map[string]any, depth int)
	collect = func(level map[string]any, depth int) {
		for _, key := range order.sorted(level) {
			item := level[key]
			if deeper, ok := item.(map[string]any); ok && depth < len(a.keys)-1 {
				collect(deeper, depth+1)
				continue
			}
			a.named(item, depth, key)
			items = append(items, item)
		}
	}
	collect(root, 0)
	for _, item := range items {
		inner, _ := item.(map[string]any)
		for member, array := range a.inner {
			if holder, ok := inner[member].(map[string]any); ok {
				array.toArray(holder, order)
			}
		}
	}
	object[a.field] = items
}
