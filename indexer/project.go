package indexer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// The limits of the indexed data of one field.
const (
	maxText  = 4096 // in bytes; longer texts are not indexed
	maxArray = 1000 // values of an array; further values are not indexed
)

// PathV2Separator separates the steps of a browse path v2.
const PathV2Separator = "␟"

// Project makes the document of an entity from the latest values of its aspects. It returns
// false if the entity has no aspect; such an entity cannot be found.
func (s *Schema) Project(u model.URN, values []*model.Value) (Document, bool) {
	t := s.types[u.EntityType()]
	if t == nil || len(values) == 0 {
		return Document{}, false
	}
	p := projection{
		schema: t, facets: s.facets,
		doc: Document{
			URN: u.String(), Type: u.EntityType(), Weight: 1,
			Values: map[string][]string{}, Numbers: map[string]int64{}, Completions: map[string][]string{},
		},
		counts: map[string]int64{},
	}
	for _, value := range values {
		for _, found := range s.registry.SearchFields(p.doc.Type, value) {
			p.add(found, value.ModifiedOn)
		}
		for id, texts := range model.StructuredValues(value) {
			p.doc.Facets = append(p.doc.Facets, structuredField(id).Name)
			for _, text := range texts[:min(len(texts), maxArray)] {
				p.value(structuredField(id), text)
			}
		}
	}
	p.derive(u)
	return p.doc, true
}

// projection is the state of making one document.
type projection struct {
	schema *typeSchema
	facets map[string]bool
	doc    Document
	// counts are the values of fields that count others.
	counts map[string]int64
}

// add adds the values of one field from one aspect. modifiedOn is the time at which the
// aspect was last modified in epoch milliseconds, 0 if it is not known.
func (p *projection) add(found model.SearchValue, modifiedOn int64) {
	f := p.schema.byName[found.Field.Name]
	if f == nil {
		return
	}
	flags := &found.Field.Flags
	if flags.HasValuesFieldName != "" && len(found.Values) > 0 {
		p.doc.Values[flags.HasValuesFieldName] = []string{"true"}
	}
	if flags.NumValuesFieldName != "" && len(found.Values) > 0 {
		p.counts[flags.NumValuesFieldName] += int64(len(found.Values))
	}
	if name := flags.SystemModifiedAtFieldName; name != "" && modifiedOn != 0 && modifiedOn > p.doc.Numbers[name] {
		p.number(p.schema.byName[name], modifiedOn)
	}
	for _, alias := range flags.FieldNameAliases {
		for _, value := range found.Values {
			p.value(p.schema.byName[alias], value)
		}
	}
	for key, list := range found.Lists {
		field := &Field{Name: ListField(f.Name, key)}
		for _, value := range list[:min(len(list), maxArray)] {
			p.value(field, value)
		}
	}
	if f.Name == FieldPathsV2 {
		p.pathV2(found.Values)
		return
	}
	for i, value := range found.Values {
		if i == maxArray {
			return
		}
		p.value(f, value)
	}
}

func (p *projection) value(f *Field, value any) {
	switch value := value.(type) {
	case string:
		if len(value) < maxText {
			p.text(f, value)
		}
	case bool:
		p.put(f.Name, strconv.FormatBool(value))
	case int64:
		p.number(f, value)
	case float64:
		p.number(f, int64(value))
	}
}

func (p *projection) number(f *Field, n int64) {
	if f.Kind == KindNumber { // a numeric field has one value: the last one
		delete(p.doc.Values, f.Name)
		p.doc.Numbers[f.Name] = n
	}
	p.put(f.Name, strconv.FormatInt(n, 10))
}

func (p *projection) text(f *Field, value string) {
	if f.Kind == KindPath {
		value = "/" + strings.Trim(value, "/")
		if value == "/" {
			value = ""
		}
		for _, ancestor := range Ancestors(value, "/") {
			p.put(FieldAncestors, ancestor)
		}
		if value != "" {
			p.put(FieldAncestors, "") // the path is below the root
		}
	}
	if !p.put(f.Name, value) {
		return
	}
	if f.Text {
		p.words(f.ClassOf(value), f.Words(value))
	}
	if f.Completes {
		p.doc.Completions[f.Name] = append(p.doc.Completions[f.Name], value)
	}
}

// Words returns the words of a field's value that a text query finds, separated by spaces.
func (f *Field) Words(value string) string {
	if f.Kind == KindURN {
		return urnWords(value)
	}
	return value
}

// ClassOf returns the class of the words of a value: the class of the field or, if the value is the URN of an entity,
// the class for entities of that type. Platforms have the class of the field, since the URNs of the entities on a
// platform have its name anyway.
func (f *Field) ClassOf(value string) TextClass {
	if !strings.HasPrefix(value, urnBegin) {
		return f.Class
	}
	switch entityType := model.StoredURN(value).EntityType(); {
	case entityType == "" || entityType == model.EntityDataPlatform:
		return f.Class
	case slices.Contains(LabelTypes(), entityType):
		return TextLabels
	case IsPrivileged(entityType):
		return TextPrivileged
	}
	return TextReferences
}

// words adds the tokens of a text to a class. Whole words that were split count as the
// least class, but stay in their class if not everybody may search it.
func (p *projection) words(class TextClass, text string) {
	tokens, whole := analyze(text)
	if len(tokens) > 0 {
		p.doc.Text[class] = append(p.doc.Text[class], strings.Join(tokens, " "))
	}
	if !class.Closed() {
		class = TextMinor
	}
	if len(whole) > 0 {
		p.doc.Text[class] = append(p.doc.Text[class], strings.Join(whole, " "))
	}
}

// put adds a value to a field and reports whether the field did not have it.
func (p *projection) put(field, value string) bool {
	if slices.Contains(p.doc.Values[field], value) {
		return false
	}
	p.doc.Values[field] = append(p.doc.Values[field], value)
	return true
}

// pathV2 joins the steps of the one browse path v2 of an entity.
func (p *projection) pathV2(steps []any) {
	var path strings.Builder
	for _, step := range steps {
		if text, ok := step.(string); ok {
			path.WriteString(PathV2Separator + text)
		}
	}
	if path.Len() == 0 || path.Len() >= maxText {
		return
	}
	p.put(FieldPathsV2, path.String())
	for _, ancestor := range Ancestors(path.String(), PathV2Separator) {
		p.put(FieldAncestorsV2, ancestor)
	}
}

// Ancestors returns a path and all paths above it, without the root "".
func Ancestors(path, separator string) []string {
	var ancestors []string
	for i := 1; i < len(path); i++ {
		if strings.HasPrefix(path[i:], separator) {
			ancestors = append(ancestors, path[:i])
		}
	}
	if path != "" {
		ancestors = append(ancestors, path)
	}
	return ancestors
}

// derive adds the fields that every document has.
func (p *projection) derive(u model.URN) {
	d := &p.doc
	d.Values[FieldURN] = []string{d.URN}
	d.Values[FieldType] = []string{d.Type}
	p.words(TextMinor, urnWords(d.URN))
	for name, n := range p.counts {
		p.number(p.schema.byName[name], n)
	}
	for _, f := range p.schema.fields {
		if len(d.Values[f.Name]) == 0 {
			continue
		}
		if p.facets[f.Name] { // a facet of any type, because searches look into several types at once
			d.Facets = append(d.Facets, f.Name)
		}
		if f.Sortable() && f.Kind != KindNumber {
			d.SortKeys = append(d.SortKeys, f.Name)
		}
		for _, value := range d.Values[f.Name] {
			if weight, ok := f.Weights[value]; ok {
				d.Weight *= weight
			}
		}
		if f.Completes && f.Kind != KindURN {
			p.names(d.Completions[f.Name])
		}
	}
	d.Removed = slices.Contains(d.Values[FieldRemoved], "true")
	d.Values[FieldRemoved] = []string{strconv.FormatBool(d.Removed)}
	if len(d.Values[FieldName]) == 0 {
		name := Leaf(u)
		d.Completions[FieldURN] = []string{name}
		p.names([]string{name})
	}
}

// names adds the names by which an exact query finds the document.
func (p *projection) names(values []string) {
	for _, value := range values {
		for _, name := range []string{value, value[strings.LastIndexAny(value, "./")+1:]} {
			if name = Normalize(name); name != "" && len(name) <= maxToken*4 {
				p.put(FieldName, name)
			}
		}
	}
}

// Leaf returns the part of a URN that people use as a name: the last part that is not a URN
// and, for a dataset, not the environment.
func Leaf(u model.URN) string {
	parts := u.Parts()
	if u.EntityType() == model.EntityDataset && len(parts) == 3 {
		return parts[1]
	}
	return parts[len(parts)-1]
}

// urnWords returns the words of a URN by which people distinguish it from others.
func urnWords(text string) string {
	u, err := model.ParseURN(text)
	if err != nil {
		return text
	}
	var words []string
	for i, part := range u.Parts() {
		if inner, err := model.ParseURN(part); err == nil {
			part = Leaf(inner)
		} else if u.EntityType() == model.EntityDataset && i == 2 {
			continue // an environment such as PROD
		}
		words = append(words, part)
	}
	return strings.Join(words, " ")
}
