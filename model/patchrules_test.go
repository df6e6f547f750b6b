package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/testing/testseed"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// This file implements the rules of keyed patches a second time, as simply as possible: as
// a list of rows, each with the texts of its keys. It shares no code with the
// implementation under test.

// plainRow is an item of the list.
type plainRow struct {
	keys []string
	item map[string]any
}

// plainList is the list of a field with the paths of its keys. A path with two steps leads
// into a member.
type plainList struct {
	keys [][]string
	rows []plainRow
}

// plainOperation removes all rows whose keys begin with the given texts, or puts an item at
// the given keys.
type plainOperation struct {
	remove bool
	at     []string
	item   map[string]any
}

func (l *plainList) keysOf(item map[string]any) []string {
	texts := make([]string, len(l.keys))
	for i, steps := range l.keys {
		if len(steps) == 1 {
			texts[i], _ = item[steps[0]].(string)
			continue
		}
		if inner, ok := item[steps[0]].(map[string]any); ok {
			texts[i], _ = inner[steps[1]].(string)
		}
	}
	return texts
}

func (l *plainList) apply(o plainOperation) {
	if o.remove {
		l.rows = slices.DeleteFunc(l.rows, func(r plainRow) bool { return slices.Equal(r.keys[:len(o.at)], o.at) })
		return
	}
	for i, steps := range l.keys { // an item gets back the keys that are members of the item itself
		if _, exists := o.item[steps[0]]; len(steps) == 1 && !exists && o.at[i] != "" {
			o.item[steps[0]] = o.at[i]
		}
	}
	same := func(r plainRow) bool { return slices.Equal(r.keys, o.at) }
	if at := slices.IndexFunc(l.rows, same); at >= 0 {
		l.rows[at].item = o.item
		first := true
		l.rows = slices.DeleteFunc(l.rows, func(r plainRow) bool {
			duplicate := same(r) && !first
			first = first && !same(r)
			return duplicate
		})
		return
	}
	l.rows = append(l.rows, plainRow{o.at, o.item})
}

// grouped returns the items in the order in which they come out of nested maps. Rows with
// the same first key are together, at the place of the first row that had the key in first;
// the same holds for the next keys.
func grouped(rows []plainRow, first [][]string, level int) []any {
	var items []any
	var order []string
	for _, place := range first {
		if !slices.Contains(order, place[level]) {
			order = append(order, place[level])
		}
	}
	for _, key := range order {
		var below []plainRow
		for _, r := range rows {
			if r.keys[level] == key {
				below = append(below, r)
			}
		}
		if len(below) == 0 {
			continue
		}
		if level == len(below[0].keys)-1 {
			for _, r := range below {
				items = append(items, r.item)
			}
			continue
		}
		var inner [][]string
		for _, place := range first {
			if place[level] == key {
				inner = append(inner, place)
			}
		}
		items = append(items, grouped(below, inner, level+1)...)
	}
	return items
}

// seen has the places in the order of nested maps. A removal forgets a place, with
// everything below it. A branch that a removal leaves empty keeps its place.
type seen [][]string

func (s seen) after(o plainOperation) seen {
	if !o.remove {
		if slices.ContainsFunc(s, func(p []string) bool { return slices.Equal(p, o.at) }) {
			return s
		}
		return append(s, o.at)
	}
	var left seen
	for _, place := range s {
		if slices.Equal(place[:len(o.at)], o.at) {
			if len(o.at) == len(place) && len(place) > 1 { // the levels above the removed item keep their places
				ghost := slices.Clone(place)
				ghost[len(ghost)-1] = gone
				left = append(left, ghost)
			} else if len(o.at) > 1 {
				ghost := slices.Clone(place)
				for i := len(o.at) - 1; i < len(ghost); i++ {
					ghost[i] = gone
				}
				left = append(left, ghost)
			}
			continue
		}
		left = append(left, place)
	}
	return left
}

// gone is a key that no row has.
const gone = "\x00"

// TestPatchesAgreeWithTheRules applies random patches to random lists, and compares the results
// with the results of the simple rules.
func TestPatchesAgreeWithTheRules(t *testing.T) {
	seed := testseed.Of(t)
	random := rand.New(rand.NewPCG(seed, 19))
	lists := []struct {
		aspect, field string
		keys          []string
		// inTemplate: the template of the aspect has the same keys.
		inTemplate bool
	}{
		{"globalTags", "tags", []string{"attribution␟source", "tag"}, false},
		{"globalTags", "tags", []string{"tag", "attribution␟source"}, false},
		{"glossaryTerms", "terms", []string{"urn", "attribution␟source"}, false},
		{"ownership", "owners", []string{"owner", "type", "typeUrn", "attribution␟source"}, false},
		{"ownership", "owners", []string{"owner", "type"}, true},
		{"globalTags", "tags", []string{"tag"}, true},
		{"documentation", "documentations", []string{"attribution␟source"}, true},
		{"anything", "elements", []string{"url"}, false},
	}
	for range testsize.Of(3000, 60_000) {
		c := lists[random.IntN(len(lists))]
		list := plainList{}
		for _, key := range c.keys {
			list.keys = append(list.keys, strings.Split(key, "␟"))
		}
		var places seen
		stored := []any{}
		for n := range random.IntN(5) {
			item := list.randomItem(random, nil)
			item["n"] = fmt.Sprint(n)
			keys := list.keysOf(item)
			list.rows = append(list.rows, plainRow{keys, item})
			places = places.after(plainOperation{at: keys})
			stored = append(stored, item)
		}
		current := mustEncode(t, map[string]any{c.field: stored, "other": "x"})
		var operations []any
		for n := range random.IntN(6) {
			o, sent := list.randomOperation(random, c.field, n)
			operations = append(operations, sent)
			list.apply(o)
			places = places.after(o)
		}
		var patch any = operations
		if operations == nil {
			patch = []any{}
		}
		if !c.inTemplate || random.IntN(2) == 0 {
			patch = map[string]any{"patch": patch, "arrayPrimaryKeys": map[string]any{c.field: c.keys}}
		}
		want := grouped(list.rows, places, 0)
		if want == nil {
			want = []any{}
		}
		text := mustEncode(t, patch)
		got, err := patched(c.aspect, current, string(text), Stamp{})
		if err != nil {
			t.Fatalf("%s of %s: %v", text, current, err)
		}
		tree, _ := jsontree.DecodeObject(got)
		if !jsontree.Equal(tree[c.field], mustDecode(t, mustEncode(t, want))) {
			t.Fatalf("%s\non %s\ngives %s\nwant  %s", text, current, got, mustEncode(t, want))
		}
	}
}

// randomItem returns an item with the keys in at, or with random keys if at is nil.
func (l *plainList) randomItem(random *rand.Rand, at []string) map[string]any {
	item := map[string]any{}
	for i, steps := range l.keys {
		text := []string{"", "a", "b/~c"}[random.IntN(3)]
		if at != nil {
			text = at[i]
		}
		switch {
		case text == "":
		case len(steps) == 1:
			item[steps[0]] = text
		default:
			item[steps[0]] = map[string]any{steps[1]: text}
		}
	}
	return item
}

func (l *plainList) randomOperation(random *rand.Rand, field string, n int) (plainOperation, map[string]any) {
	o := plainOperation{remove: random.IntN(2) == 0}
	for range l.keys {
		o.at = append(o.at, []string{"", "a", "b/~c", "new"}[random.IntN(4)])
	}
	if o.remove && random.IntN(2) == 0 {
		o.at = o.at[:1+random.IntN(len(o.at))]
	}
	path := "/" + field
	for _, key := range o.at {
		path += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
	}
	if o.remove {
		return o, map[string]any{"op": "remove", "path": path, "value": map[string]any{}}
	}
	o.item = l.randomItem(random, o.at)
	o.item["n"] = fmt.Sprintf("op %d", n)
	if steps := l.keys[0]; len(steps) == 1 && random.IntN(2) == 0 {
		delete(o.item, steps[0])
	}
	sent := map[string]any{}
	for name, member := range o.item {
		sent[name] = member
	}
	return o, map[string]any{"op": "add", "path": path, "value": sent}
}

func mustEncode(t *testing.T, tree any) json.RawMessage {
	t.Helper()
	text, err := jsontree.Encode(tree)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func mustDecode(t *testing.T, text json.RawMessage) any {
	t.Helper()
	tree, err := jsontree.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// TestPatchForms: patches of clients, in both forms.
func TestPatchForms(t *testing.T) {
	stamp := Stamp{Time: 5, Actor: "urn:li:corpuser:a"}
	const source = `"arrayPrimaryKeys":{"tags":["attribution␟source","tag"]}`
	const owners = `"arrayPrimaryKeys":{"owners":["owner","type","typeUrn","attribution␟source"]}`
	const column, other, up = "urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:x,a,PROD),c)", "urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:x,a,PROD),d)", "urn:li:dataset:(urn:li:dataPlatform:x,up,PROD)"
	const entry = `{"upstreamType":"FIELD_SET","upstreams":["` + other + `"],"downstreamType":"FIELD","downstreams":["` + column + `"],"confidenceScore":0.5,"matchType":"EXACT"}`
	for _, c := range []struct{ name, aspect, current, patch, want string }{
		{"a tag of a source", "globalTags", `{"tags":[{"tag":"a"}]}`, `{` + source + `,"patch":[{"op":"add","path":"/tags/s/a","value":{"tag":"a","attribution":{"source":"s"}}}]}`, `{"tags":[{"tag":"a"},{"tag":"a","attribution":{"source":"s"}}]}`},
		{"a tag of no source", "globalTags", ``, `{` + source + `,"patch":[{"op":"add","path":"/tags//a","value":{"tag":"a"}}]}`, `{"tags":[{"tag":"a"}]}`},
		{"a trailing slash", "globalTags", `{"tags":[{"tag":"a"},{"tag":"a","attribution":{"source":"s"}}]}`, `{"arrayPrimaryKeys":{"tags":["tag","attribution␟source"]},"patch":[{"op":"remove","path":"/tags/a/"}]}`, `{"tags":[{"tag":"a","attribution":{"source":"s"}}]}`},
		{"a tag of all sources", "globalTags", `{"tags":[{"tag":"a"},{"tag":"b"},{"tag":"a","attribution":{"source":"s"}}]}`, `{"arrayPrimaryKeys":{"tags":["tag","attribution␟source"]},"patch":[{"op":"remove","path":"/tags/a","value":{}}]}`, `{"tags":[{"tag":"b"}]}`},
		{"all of an owner", "ownership", `{"owners":[{"owner":"o","type":"A"},{"owner":"p","type":"A"},{"owner":"o","type":"B","typeUrn":"t"}]}`, `{` + owners + `,"patch":[{"op":"remove","path":"/owners/o"}]}`, `{"owners":[{"owner":"p","type":"A"}]}`},
		{"the removal of nothing from nothing", "globalTags", ``, `{` + source + `,"patch":[{"op":"remove","path":"/tags/s/a"}]}`, `{"tags":[]}`},
		{"the removal of nothing makes nothing", "dataJobInputOutput", `{"inputDatasets":[],"outputDatasets":[]}`, `[{"op":"remove","path":"/inputDatasetFields/f"},{"op":"remove","path":"/a/b/c"}]`, `{"inputDatasets":[],"outputDatasets":[]}`},
		{"the key is put back", "institutionalMemory", `{"elements":[]}`, `{"arrayPrimaryKeys":{"elements":["url"]},"patch":[{"op":"add","path":"/elements/http:~1~1a/description","value":"d"}]}`, `{"elements":[{"url":"http://a","description":"d","createStamp":{"time":5,"actor":"urn:li:corpuser:a"}}]}`},
		{"a key in a member is not put back", "globalTags", `{"tags":[]}`, `{` + source + `,"patch":[{"op":"add","path":"/tags/s/a","value":{}}]}`, `{"tags":[{"tag":"a"}]}`},
		{"texts as their own keys", "siblings", `{"siblings":["a","b"],"primary":true}`, `{"arrayPrimaryKeys":{"siblings":[]},"patch":[{"op":"remove","path":"/siblings/a"},{"op":"add","path":"/siblings/c","value":"c"}]}`, `{"siblings":["b","c"],"primary":true}`},
		{"the whole field", "globalTags", `{"tags":[{"tag":"a"}]}`, `{` + source + `,"patch":[{"op":"add","path":"/tags","value":[{"tag":"z"}]}]}`, `{"tags":[{"tag":"z"}]}`},
		{"a list at an inner level", "ownership", `{"owners":[{"owner":"p","type":"A"}]}`, `[{"op":"add","path":"/owners/o","value":[{"owner":"o","type":"A"},{"owner":"o","type":"B"}]}]`, `{"owners":[{"owner":"p","type":"A"},{"owner":"o","type":"A"},{"owner":"o","type":"B"}]}`},
		{"a map at an inner level", "ownership", `{"owners":[]}`, `[{"op":"add","path":"/owners/o","value":{"A":{"owner":"o"}}}]`, `{"owners":[{"owner":"o","type":"A"}]}`},
		{"items with the same key stay", "globalTags", `{"tags":[{"tag":"a","attribution":{"source":"s"}},{"tag":"a","attribution":{"source":"t"}}]}`, `[{"op":"add","path":"/tags/b","value":{"tag":"b"}}]`, `{"tags":[{"tag":"a","attribution":{"source":"s"}},{"tag":"a","attribution":{"source":"t"}},{"tag":"b"}]}`},
		{"an aspect without template", "glossaryTermInfo", `{"definition":"d"}`, `{"forceGenericPatch":true,"patch":[{"op":"add","path":"/customProperties/a","value":"b"},{"op":"replace","path":"/definition","value":"e"}]}`, `{"definition":"e","customProperties":{"a":"b"}}`},
		{"an object that is no generic patch", "globalTags", ``, `{"patch":[{"op":"add","path":"/tags/a","value":{"tag":"a"}}],"arrayPrimaryKeys":{},"forceGenericPatch":false}`, `{"tags":[{"tag":"a"}]}`},
		{"a chart made by its inputs", "chartInfo", ``, `[{"op":"add","path":"/inputEdges/` + up + `","value":{"destinationUrn":"` + up + `"}},{"op":"add","path":"/inputs/` + up + `","value":"` + up + `"}]`, `{"title":"","description":"","customProperties":{},"inputs":["` + up + `"],"inputEdges":[{"destinationUrn":"` + up + `"}],"lastModified":{"created":{"time":5,"actor":"urn:li:corpuser:a"},"lastModified":{"time":5,"actor":"urn:li:corpuser:a"}}}`},
		{"an input in a union", "chartInfo", `{"inputs":[{"string":"a"},{"string":"b"}]}`, `[{"op":"remove","path":"/inputs/a"}]`, `{"inputs":[{"string":"b"}]}`},
		{"a status", "status", ``, `[{"op":"add","path":"/removed","value":true}]`, `{"removed":true}`},
		{"a job's field without a value", "dataJobInputOutput", `{"inputDatasetFields":["a"]}`, `[{"op":"add","path":"/inputDatasetFields/urn:li:f","value":{}},{"op":"remove","path":"/inputDatasetFields/a","value":{}}]`, `{"inputDatasetFields":["urn:li:f"]}`},
		{"a field that is encoded in the path of its removal", "dataJobInputOutput", `{"inputDatasetFields":["urn:li:f","a%3Ab"]}`, `[{"op":"remove","path":"/inputDatasetFields/urn%3Ali%3Af","value":{}},{"op":"remove","path":"/inputDatasetFields/a%3Ab","value":{}}]`, `{"inputDatasetFields":[]}`},
		{"a form's actors", "formInfo", ``, `[{"op":"add","path":"/actors/users/u","value":"u"},{"op":"add","path":"/actors/owners","value":false},{"op":"remove","path":"/actors/groups/g","value":{}}]`, `{"prompts":[],"actors":{"users":["u"],"owners":false}}`},
		{"an allowed value", "propertyDefinition", `{"allowedValues":[{"value":{"string":"a"}},{"value":{"double":2}}],"entityTypes":[]}`, `[{"op":"add","path":"/allowedValues/a","value":{"value":{"string":"a"},"description":"d"}},{"op":"remove","path":"/allowedValues/2"}]`, `{"allowedValues":[{"value":{"string":"a"},"description":"d"}],"entityTypes":[]}`},
		{"documentation of a source", "documentation", ``, `{"arrayPrimaryKeys":{"documentations":["attribution␟source"]},"patch":[{"op":"add","path":"/documentations/","value":{"documentation":"d"}}]}`, `{"documentations":[{"documentation":"d"}]}`},
		{"all documentation", "documentation", `{"documentations":[{"documentation":"d"}]}`, `{"arrayPrimaryKeys":{"documentations":["attribution␟source"]},"patch":[{"op":"remove","path":"/documentations","value":{}}]}`, `{"documentations":[]}`},
		{"a list that is not required", "datasetProperties", `{"tags":["a"]}`, `{"arrayPrimaryKeys":{"customPropertiesList":[]},"patch":[{"op":"remove","path":"/tags"}]}`, `{}`},
		{"a pair of columns", "upstreamLineage", ``, `[{"op":"add","path":"/fineGrainedLineages/NONE/` + column + `/NONE/` + other + `","value":{"confidenceScore":1.0}}]`, `{"upstreams":[],"fineGrainedLineages":[{"upstreamType":"FIELD_SET","upstreams":["` + other + `"],"downstreamType":"FIELD","downstreams":["` + column + `"],"confidenceScore":1.0}]}`},
		{"one more upstream column", "upstreamLineage", `{"upstreams":[],"fineGrainedLineages":[` + entry + `]}`, `[{"op":"add","path":"/fineGrainedLineages/NONE/` + column + `/NONE/` + column + `","value":{"confidenceScore":0.9}}]`, `{"upstreams":[],"fineGrainedLineages":[{"upstreamType":"FIELD_SET","upstreams":["` + other + `","` + column + `"],"downstreamType":"FIELD","downstreams":["` + column + `"],"confidenceScore":0.5,"matchType":"EXACT"}]}`},
		{"another query", "upstreamLineage", `{"upstreams":[],"fineGrainedLineages":[` + entry + `]}`, `[{"op":"add","path":"/fineGrainedLineages/COPY/` + column + `/q/` + up + `","value":{}}]`, `{"upstreams":[],"fineGrainedLineages":[` + entry + `,{"upstreamType":"DATASET","upstreams":["` + up + `"],"downstreamType":"FIELD","downstreams":["` + column + `"],"transformOperation":"COPY","query":"q","confidenceScore":1.0}]}`},
		{"the last pair of columns", "upstreamLineage", `{"upstreams":[],"fineGrainedLineages":[` + entry + `]}`, `[{"op":"remove","path":"/fineGrainedLineages/NONE/` + column + `/NONE/` + other + `","value":{}}]`, `{"upstreams":[],"fineGrainedLineages":[]}`},
		{"all of a column", "upstreamLineage", `{"upstreams":[],"fineGrainedLineages":[` + entry + `]}`, `[{"op":"remove","path":"/fineGrainedLineages/NONE/` + column + `"}]`, `{"upstreams":[],"fineGrainedLineages":[]}`},
		{"an upstream beside entries that cannot be spread", "upstreamLineage", `{"upstreams":[],"fineGrainedLineages":[{"downstreams":["a","b"]}]}`, `[{"op":"add","path":"/upstreams/u","value":{"dataset":"u"}}]`, `{"upstreams":[{"dataset":"u"}],"fineGrainedLineages":[{"downstreams":["a","b"]}]}`},
		{"entries by number, and the whole list", "upstreamLineage", `{"upstreams":[],"fineGrainedLineages":[{"downstreams":["a","b"]}]}`, `[{"op":"add","path":"/fineGrainedLineages/-","value":` + entry + `},{"op":"remove","path":"/fineGrainedLineages/0"}]`, `{"upstreams":[],"fineGrainedLineages":[` + entry + `]}`},
	} {
		var current []byte
		if c.current != "" {
			current = []byte(c.current)
		}
		got, err := patched(c.aspect, current, c.patch, stamp)
		if err != nil || !jsontree.EqualText(got, []byte(c.want)) {
			t.Errorf("%s: got %s %v, want %s", c.name, got, err, c.want)
		}
	}
}

// TestRefusedPatchForms: a patch that cannot be parsed or applied is refused with the
// reason.
func TestRefusedPatchForms(t *testing.T) {
	for name, c := range map[string]struct{ aspect, current, patch, says string }{
		"no patch in the object":      {"globalTags", ``, `{"arrayPrimaryKeys":{"tags":["tag"]}}`, "without a patch"},
		"keys that are no list":       {"globalTags", ``, `{"patch":[],"arrayPrimaryKeys":{"tags":"tag"}}`, "not a JSON patch"},
		"an operation of RFC 6902":    {"globalTags", ``, `{"patch":[{"op":"test","path":"/tags","value":1}],"forceGenericPatch":true}`, "add, remove and replace"},
		"two downstream columns":      {"upstreamLineage", `{"fineGrainedLineages":[{"downstreams":["a","b"]}]}`, `[{"op":"add","path":"/fineGrainedLineages/NONE/c/NONE/d","value":{}}]`, "2 downstream columns"},
		"a path that ends too early":  {"upstreamLineage", `{}`, `[{"op":"add","path":"/fineGrainedLineages/NONE/c","value":{"confidenceScore":1}}]`, "lineage of columns"},
		"a text as a pair of columns": {"upstreamLineage", `{}`, `[{"op":"add","path":"/fineGrainedLineages/NONE/c/NONE/d","value":"x"}]`, "confidenceScore"},
		"an item beyond the end":      {"upstreamLineage", `{"fineGrainedLineages":[]}`, `[{"op":"add","path":"/fineGrainedLineages/2","value":{}}]`, "has 0 items"},
	} {
		var current []byte
		if c.current != "" {
			current = []byte(c.current)
		}
		_, err := patched(c.aspect, current, c.patch, Stamp{})
		var fault *PatchError
		if !errors.As(err, &fault) || !strings.Contains(fault.Reason, c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}
