package model

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// ErrNotPatchable: the aspect has no template for a patch that is a plain list of
// operations.
var ErrNotPatchable = errors.New("does not currently support patch operations")

// PatchError is the reason why a patch could not be applied. The sender is at fault.
type PatchError struct {
	Reason string
	// TooLarge: the patch or its result exceeds a size limit.
	TooLarge bool
}

func (e *PatchError) Error() string { return e.Reason }

// Stamp is an actor and a time in epoch milliseconds.
type Stamp struct {
	Time  int64
	Actor string
}

// template says how a plain list of operations patches an aspect: which arrays paths
// address as maps, and to which value the patch is applied if the aspect is absent.
type template struct {
	arrays []keyedArray
	// empty is the value that is patched if the aspect is absent.
	empty emptyValue
	// columns: paths may address fineGrainedLineages by single columns.
	columns bool
}

var (
	tagArray  = byKey("tags", "tag")
	termArray = byKey("terms", "urn")
)

func byDestination(field string) keyedArray { return byKey(field, "destinationUrn") }

// emptyValue lists the members of an empty value: arrays, objects, texts, booleans, stamps
// of the patch's actor and time, and pairs of such stamps for the creation and the last
// modification.
type emptyValue struct{ arrays, objects, texts, booleans, stamps, stampPairs []string }

func (e *emptyValue) build(s Stamp) map[string]any {
	value := map[string]any{}
	for _, name := range e.arrays {
		value[name] = []any{}
	}
	for _, name := range e.objects {
		value[name] = map[string]any{}
	}
	for _, name := range e.texts {
		value[name] = ""
	}
	for _, name := range e.booleans {
		value[name] = false
	}
	for _, name := range e.stamps {
		value[name] = stampValue(s)
	}
	for _, name := range e.stampPairs {
		value[name] = map[string]any{"created": stampValue(s), "lastModified": stampValue(s)}
	}
	return value
}

func stampValue(s Stamp) map[string]any {
	return map[string]any{"time": json.Number(fmt.Sprint(s.Time)), "actor": s.Actor}
}

// fineLineages is the field with lineage between columns.
const fineLineages = "fineGrainedLineages"

// templates has the aspects that a plain list of operations can patch.
var templates = map[string]template{
	AspectGlobalTags: {arrays: []keyedArray{tagArray}, empty: emptyValue{arrays: []string{"tags"}}},
	AspectGlossaryTerms: {
		arrays: []keyedArray{termArray},
		empty:  emptyValue{arrays: []string{"terms"}, stamps: []string{"auditStamp"}},
	},
	AspectOwnership: {
		arrays: []keyedArray{byKey("owners", "owner", "type")},
		empty:  emptyValue{arrays: []string{"owners"}, stamps: []string{"lastModified"}},
	},
	AspectDatasetProperties: {
		arrays: []keyedArray{bySelf("tags")},
		empty:  emptyValue{arrays: []string{"tags"}, objects: []string{"customProperties"}},
	},
	AspectUpstreamLineage: {
		arrays: []keyedArray{byKey("upstreams", "dataset")}, columns: true,
		empty: emptyValue{arrays: []string{"upstreams", fineLineages}},
	},
	AspectDataJobInputOutput: {
		arrays: []keyedArray{
			byDestination("inputDatajobEdges"), byDestination("inputDatasetEdges"), byDestination("outputDatasetEdges"),
			bySelf("inputDatasetFields"), bySelf("outputDatasetFields"),
		},
		columns: true,
		empty: emptyValue{arrays: []string{
			"inputDatasets", "outputDatasets", "inputDatajobs", "inputDatajobEdges", "inputDatasetEdges",
			"outputDatasetEdges", "inputDatasetFields", "outputDatasetFields", fineLineages,
		}},
	},
	AspectDataProductProperties: {arrays: []keyedArray{byDestination("assets")}, empty: emptyValue{arrays: []string{"assets"}}},
	AspectEditableSchemaMetadata: {
		arrays: []keyedArray{withInner(byKey("editableSchemaFieldInfo", "fieldPath"), map[string]keyedArray{
			"globalTags": tagArray, "glossaryTerms": termArray,
		})},
		empty: emptyValue{arrays: []string{"editableSchemaFieldInfo"}, stamps: []string{"created", "lastModified"}},
	},
	AspectDataFlowInfo: {empty: emptyValue{objects: []string{"customProperties"}}},
	AspectDataJobInfo:  {empty: emptyValue{objects: []string{"customProperties"}}},
	AspectChartInfo: {
		arrays: []keyedArray{byDestination("inputEdges"), bySelf("inputs")},
		empty: emptyValue{
			arrays: []string{"inputEdges", "inputs"}, objects: []string{"customProperties"},
			texts: []string{"title", "description"}, stampPairs: []string{"lastModified"},
		},
	},
	AspectDashboardInfo: {
		arrays: []keyedArray{
			byDestination("chartEdges"), byDestination("datasetEdges"), byDestination("dashboards"), bySelf("charts"), bySelf("datasets"),
		},
		empty: emptyValue{
			arrays: []string{"charts", "chartEdges", "datasets", "datasetEdges"}, objects: []string{"customProperties"},
			texts: []string{"title", "description"}, stampPairs: []string{"lastModified"},
		},
	},
	AspectSiblings: {arrays: []keyedArray{bySelf("siblings")}, empty: emptyValue{arrays: []string{"siblings"}, booleans: []string{"primary"}}},
	AspectDomains:  {arrays: []keyedArray{bySelf("domains")}, empty: emptyValue{arrays: []string{"domains"}}},
	AspectStatus:   {empty: emptyValue{booleans: []string{"removed"}}},
	AspectStructuredProperties: {
		arrays: []keyedArray{byKey("properties", "propertyUrn")}, empty: emptyValue{arrays: []string{"properties"}},
	},
	AspectPropertyDefinition: {
		arrays: []keyedArray{bySelf("entityTypes"), bySelf("allowedPlatforms"), byKey("allowedValues", "value")},
		empty:  emptyValue{arrays: []string{"entityTypes"}},
	},
	AspectFormInfo: {
		arrays: []keyedArray{
			byKey("prompts", "id"),
			within("actors", bySelf("users")), within("actors", bySelf("groups")), within("actors", bySelf("ownershipTypes")),
		},
		empty: emptyValue{arrays: []string{"prompts"}, objects: []string{"actors"}},
	},
	"documentation": {
		arrays: []keyedArray{byKey("documentations", "attribution"+keyStep+"source")}, empty: emptyValue{arrays: []string{"documentations"}},
	},
	AspectVersionProperties: {},
}

// Patchable reports whether a patch can change an aspect. A patch that brings its keys can
// change every aspect; other patches need a template.
func Patchable(aspect string, patch *Operations) bool {
	_, ok := templates[aspect]
	return ok || patch.generic
}

// Patch applies a patch to the current value of an aspect, or to an empty value if current
// is nil. Paths address arrays with keys as maps. The result has at most maxBytes.
//
// The result is not validated. Errors are [ErrNotPatchable] and *PatchError.
func (r *Registry) Patch(aspect string, current json.RawMessage, patch *Operations, stamp Stamp, maxBytes int) (json.RawMessage, error) {
	if !Patchable(aspect, patch) {
		return nil, fmt.Errorf("Aspect: %s %w", aspect, ErrNotPatchable) //nolint:staticcheck // the text clients know
	}
	t := templates[aspect]
	if patch.generic {
		t = template{arrays: patch.arrays}
	}
	value := t.empty.build(stamp)
	if current != nil {
		var err error
		if value, err = decodeObject(patchBase(aspect, current, patch)); err != nil {
			return nil, err
		}
	}
	patched, err := t.apply(patch, value)
	if err != nil {
		return nil, err
	}
	if a, known := r.Aspect(aspect); known {
		if current == nil {
			a.typ.completeLists(patched)
		}
		a.typ.emptyLists(patched, t.arrays)
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

// apply converts arrays to maps, applies the operations in order, and converts the maps
// back.
func (t *template) apply(patch *Operations, value map[string]any) (map[string]any, error) {
	shape := shapeOf(t.arrays)
	var columns columnEntries
	if t.columns && patch.addressesColumns() {
		var err error
		if columns, err = spreadColumns(value); err != nil {
			return nil, err
		}
		shape.members[fineLineages] = columnShape
	}
	work := &patchWork{}
	if err := shape.toMaps(value, work); err != nil {
		return nil, err
	}
	var node any = value
	for i := range patch.list {
		o := &patch.list[i]
		added, err := o.decoded()
		if err != nil {
			return nil, err
		}
		if node, err = work.apply(change{op: o.Op, value: added, path: *o.Path}, node, shape, o.path); err != nil {
			return nil, err
		}
	}
	object, ok := node.(map[string]any)
	if !ok {
		return nil, &PatchError{Reason: "the result of the patch is not an object"}
	}
	if root, ok := object[fineLineages].(*branch); ok {
		list, err := columns.gather(root)
		if err != nil {
			return nil, err
		}
		object[fineLineages] = list
	}
	shape.toArrays(object)
	return object, nil
}
