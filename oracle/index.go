package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Bounds of what is looked into.
const (
	longestText = 4096 // bytes; such texts and longer ones are left out
	mostValues  = 1000 // of a field
)

// document is what a search must know of an entity.
type document struct {
	urn, kind string
	removed   bool
	unsure    bool                       // which of two values of a moment is the newest
	values    map[string]map[string]bool // by field
	texts     []string                   // what words are looked for in
	sequences [][]string                 // the words of each text, in order
	words     *vocabulary
	paths     map[string]bool // browse paths, "" being the root
	pathV2    string
}

// index is the documents of all entities.
type index struct {
	facts     *facts
	documents []*document
	byType    map[string][]*document
	single    sync.Map // documents with a single text, by the text
}

func newIndex(m *mirror) *index {
	x := &index{facts: m.facts, byType: map[string][]*document{}}
	for _, urn := range m.urns() {
		d := newDocument(m, urn)
		x.documents = append(x.documents, d)
		x.byType[d.kind] = append(x.byType[d.kind], d)
	}
	return x
}

func newDocument(m *mirror, urn string) *document {
	d := &document{
		urn: urn, kind: typeOf(urn), removed: m.removed(urn),
		values: map[string]map[string]bool{}, words: newVocabulary(), paths: map[string]bool{},
	}
	d.text(wordsOfURN(urn))
	d.put("_entityType", d.kind)
	text := textFields(m.facts, d.kind)
	for name, value := range m.latest[urn] {
		d.read(m.facts, name, value, text)
	}
	for name, values := range m.series[urn] {
		value, alone := newest(values)
		d.read(m.facts, name, value, text)
		d.unsure = d.unsure || !alone
	}
	d.words.sort()
	return d
}

// newest is the value of the last moment, and whether there is one alone.
func newest(values map[string]any) (last any, alone bool) {
	var moment int64 = -1
	for _, value := range values {
		switch at, _ := value.(object)["timestampMillis"].(int64); {
		case at > moment:
			moment, last, alone = at, value, true
		case at == moment:
			alone = false
		}
	}
	return last, alone
}

// textFields are the fields of a type that words are looked for in: those that
// one of the aspects that share them says so of.
func textFields(f *facts, kind string) map[string]bool {
	text := map[string]bool{}
	for _, rows := range f.searchable {
		for _, row := range rows {
			if row.isText() && slices.Contains(row.Entities, kind) {
				text[row.IndexField] = true
			}
		}
	}
	return text
}

// read takes in what an aspect says.
func (d *document) read(f *facts, aspect string, value any, text map[string]bool) {
	for _, row := range f.searchable[aspect] {
		if !slices.Contains(row.Entities, d.kind) {
			continue
		}
		values := scalars(value, row.FieldPath)
		if name := row.Flags.HasValuesFieldName; name != "" && len(values) > 0 {
			d.put(name, "true")
		}
		switch row.FieldType {
		case "BROWSE_PATH":
			for _, path := range values {
				d.paths[tidyPath(path)] = true
			}
			continue
		case "BROWSE_PATH_V2":
			if len(values) > 0 {
				d.pathV2 = stepMark + strings.Join(values, stepMark)
			}
			continue
		}
		for i, v := range values {
			if i == mostValues || len(v) >= longestText {
				continue
			}
			d.put(row.IndexField, v)
			switch {
			case !text[row.IndexField]:
			case row.isURN():
				d.text(wordsOfURN(v))
			default:
				d.text(v)
			}
		}
	}
}

func (d *document) put(field, value string) {
	if d.values[field] == nil {
		d.values[field] = map[string]bool{}
	}
	d.values[field][value] = true
}

func (d *document) text(value string) {
	d.texts, d.sequences = append(d.texts, value), append(d.sequences, typed(value))
	d.words.add(value)
}

// scalars are the values at a path as texts; members of a map are key=value.
func scalars(value any, path string) []string {
	var found []string
	at(value, path, func(v any) {
		switch v := v.(type) {
		case string:
			found = append(found, v)
		case object:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if member, ok := v[key].(string); ok {
					found = append(found, key+"="+member)
				}
			}
		case []any:
			for _, item := range v {
				found = append(found, fmt.Sprint(item))
			}
		default:
			found = append(found, fmt.Sprint(v))
		}
	})
	return found
}

const stepMark = "␟"

func tidyPath(path string) string {
	if path = strings.Trim(path, "/"); path != "" {
		path = "/" + path
	}
	return path
}

// finds says whether words typed must find the document, and whether they may:
// what is typed on the way to a word may stand before others too.
func (d *document) finds(words []string, whole bool) (must, may bool) {
	must, may = true, true
	for i, word := range words {
		is := d.words.whole[word]
		if i == len(words)-1 && !whole {
			is = d.words.begins(word)
		}
		must = must && is
		may = may && (is || d.words.onTheWay[word])
	}
	return must, may
}

// seen are the documents of the types that are not soft-deleted; no type is
// all that people search for.
func (x *index) seen(kinds []string) []*document {
	if len(kinds) == 0 {
		kinds = x.facts.searchedTypes()
	}
	var found []*document
	for _, kind := range kinds {
		for _, d := range x.byType[kind] {
			if !d.removed {
				found = append(found, d)
			}
		}
	}
	return found
}

// criterion is a condition of a filter.
type criterion struct {
	field, value string
	negated      bool
}

// expanded are the fields that a filter looks into together with the one named.
var expanded = map[string][]string{
	"tags":          {"tags", "fieldTags", "editedFieldTags"},
	"glossaryTerms": {"glossaryTerms", "fieldGlossaryTerms", "editedFieldGlossaryTerms"},
}

func (c criterion) holds(d *document) bool {
	fields := expanded[c.field]
	if fields == nil {
		fields = []string{c.field}
	}
	for _, field := range fields {
		if d.values[field][c.value] {
			return !c.negated
		}
	}
	return c.negated
}

func (c criterion) json() object {
	o := object{"field": c.field, "value": c.value, "condition": "EQUAL"}
	if c.negated {
		o["negated"] = true
	}
	return o
}
