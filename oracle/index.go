package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// The limits on the contents of the index.
const (
	longestText = 4096 // in bytes; texts of at least this size are not indexed
	mostValues  = 1000 // values of one field
)

// document is the data of one entity that searches need.
type document struct {
	urn, kind string
	removed   bool
	unsure    bool                       // a time series has two newest values, so the expected answer is uncertain
	values    map[string]map[string]bool // by field
	texts     []string                   // the texts in which searches find words
	sequences [][]string                 // the words of each text, in order
	words     *vocabulary
	paths     map[string]bool // the browse paths, with "" for the root
	pathV2    string
}

// index has the documents of all entities.
type index struct {
	facts     *facts
	documents []*document
	byType    map[string][]*document
	single    sync.Map // documents with a single text, by that text
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

// newest returns the value with the latest time, and whether it is the only one with that
// time.
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

// textFields returns the fields of a type in which searches find words. A field counts if
// one of its aspects declares it so.
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

// read adds the values of an aspect to the document.
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

// scalars returns the values at a path as texts. Members of a map become key=value.
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

// finds reports whether the typed words must find the document, and whether they may find
// it. Unless whole is set, the last word may be the beginning of a word. Every other word
// must be a token of the document. Such a word may also find the document, but need not, if
// it is an incomplete form of a word, such as "salari" of "salary".
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

// seen returns the documents of some types that are not soft-deleted. Without types, it returns the documents
// of searchedTypes.
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

// expanded has, for a field in a filter, the fields that the filter compares.
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
