package indexer

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/headwater-io/headwater/model"
)

// FieldKind is the kind of a field's values.
type FieldKind int

// The kinds of fields.
const (
	KindText FieldKind = iota
	KindURN
	KindNumber
	KindBoolean
	KindPath
)

// Field is a searchable field of an entity type. Fields of several aspects with the same
// name are one field.
type Field struct {
	Name string
	Kind FieldKind
	// Array: an entity can have several values.
	Array bool
	// Text: text queries search the field. Its hits have the class Class.
	Text  bool
	Class TextClass
	// Completes: suggestions are made from the field.
	Completes bool
	// Sorts: results can be ordered by the field although no suggestions are made from it.
	Sorts bool
	// Structured: the field has the values of a structured property.
	Structured bool
	// Lists: the values of the field are keys of lists. Each key is also a field with the
	// values of its list, see [ListField].
	Lists bool
	// Facet: the field is counted by default. DisplayName is its name for people.
	Facet       bool
	DisplayName string
	// Types are the entity types that the URNs of the field may have, empty if they are not
	// known.
	Types []string
	// Of are the fields whose values this field counts, or of which it tells that there are any.
	Of []string
	// Weights maps a value of the field to the factor by which it multiplies the score of
	// the entity.
	Weights map[string]float64
	// Default is the value that an entity without one is assumed to have, "" for none.
	// Documents do not contain it.
	Default string
}

// FieldVersionOrder is the field whose texts order the versions of a version set.
const FieldVersionOrder = "versionSortId"

// Sortable reports whether results can be ordered by the field.
func (f *Field) Sortable() bool {
	switch f.Kind {
	case KindNumber:
		return true
	case KindText:
		return (f.Completes || f.Sorts || f.Name == FieldVersionOrder) && !f.Array
	}
	return f.Name == FieldURN
}

// Schema is the search part of the model, by entity type.
type Schema struct {
	registry *model.Registry
	types    map[string]*typeSchema
	names    []string
	// facets are the fields that are facets of at least one type.
	facets map[string]bool
}

type typeSchema struct {
	fields []*Field
	byName map[string]*Field
	// aspects lists the aspects that fill a field; versioned and series split it by kind.
	aspects           map[string]bool
	versioned, series []string
}

// NewSchema makes the schema from the annotations of a model.
func NewSchema(r *model.Registry) *Schema {
	s := &Schema{registry: r, types: map[string]*typeSchema{}, facets: map[string]bool{}}
	destinations := map[[2]string][]string{}
	for _, rel := range r.Relationships() {
		key := [2]string{rel.Aspect, rel.Path}
		destinations[key] = append(destinations[key], rel.DestinationTypes...)
	}
	for _, e := range r.Entities() {
		t := &typeSchema{byName: map[string]*Field{}, aspects: map[string]bool{e.KeyAspect: true}}
		s.types[e.Name] = t
		s.names = append(s.names, e.Name)
		t.add(&Field{Name: FieldURN, Kind: KindURN, Types: []string{e.Name}})
		t.add(&Field{Name: FieldType, Kind: KindText, Facet: true, DisplayName: "Type"})
		t.add(&Field{Name: FieldRemoved, Kind: KindBoolean, Default: "false"})
		for _, f := range r.SearchFieldsOf(e.Name) {
			t.merge(fieldOf(r, f, destinations[[2]string{f.Aspect, f.Path}]))
			if a, ok := r.Aspect(f.Aspect); ok && a.TimeSeries && !t.aspects[f.Aspect] {
				t.series = append(t.series, f.Aspect)
			}
			t.aspects[f.Aspect] = true
			for _, derived := range derivedFields(f) {
				t.merge(derived)
			}
		}
	}
	for _, t := range s.types {
		for name := range t.aspects {
			if !slices.Contains(t.series, name) {
				t.versioned = append(t.versioned, name)
			}
		}
		slices.Sort(t.versioned)
		for _, f := range t.fields {
			if f.Facet {
				s.facets[f.Name] = true
			}
		}
	}
	slices.Sort(s.names)
	return s
}

// derivedFields returns the fields that the annotations of a field add, such as its number
// of values.
func derivedFields(f *model.SearchField) []*Field {
	var derived []*Field
	if name := f.Flags.HasValuesFieldName; name != "" {
		derived = append(derived, &Field{Name: name, Kind: KindBoolean, Default: "false", Of: []string{f.Name}, Facet: f.Flags.AddHasValuesToFilters, DisplayName: displayName(name)})
	}
	if name := f.Flags.NumValuesFieldName; name != "" {
		derived = append(derived, &Field{Name: name, Kind: KindNumber, Default: "0", Of: []string{f.Name}})
	}
	if name := f.Flags.SystemModifiedAtFieldName; name != "" {
		derived = append(derived, &Field{Name: name, Kind: KindNumber})
	}
	for _, name := range f.Flags.FieldNameAliases {
		derived = append(derived, &Field{Name: name, Kind: KindText, Sorts: true})
	}
	return derived
}

// ListField returns the name of the field with the values of one list, for a field with
// Lists.
func ListField(field, key string) string { return field + "." + key }

func fieldOf(r *model.Registry, f *model.SearchField, destinations []string) *Field {
	field := &Field{
		Name: f.Name, Array: f.Array || strings.HasPrefix(f.ValueType, "map<"), Text: f.QueryByDefault,
		Completes: f.Flags.EnableAutocomplete, Lists: f.Type == model.MapArray, Facet: f.Flags.AddToFilters, DisplayName: f.Flags.FilterNameOverride,
		Weights: f.Flags.WeightsPerFieldValue,
	}
	switch f.Type {
	case "COUNT", "DATETIME":
		field.Kind, field.Text = KindNumber, false
	case "BOOLEAN":
		field.Kind, field.Text = KindBoolean, false
	case "BROWSE_PATH", "BROWSE_PATH_V2":
		field.Kind, field.Text = KindPath, false
	case "URN", "URN_PARTIAL":
		field.Kind = KindURN
	}
	if strings.HasPrefix(f.ValueType, "urn") {
		field.Kind, field.Types = KindURN, urnTypes(r, f, destinations)
	}
	switch boost := f.Flags.BoostScore; {
	case boost >= 8:
		field.Class = TextName
	case boost >= 2 || field.Completes:
		field.Class = TextMajor
	case boost == 0 || boost >= 0.5:
		field.Class = TextBody
	default:
		field.Class = TextMinor
	}
	if field.DisplayName == "" {
		field.DisplayName = displayName(f.Name)
	}
	return field
}

// urnTypes returns the entity types that the values of a URN field may have.
func urnTypes(r *model.Registry, f *model.SearchField, destinations []string) []string {
	types := slices.Clone(destinations)
	if label, ok := strings.CutPrefix(f.ValueType, "urn<"); ok {
		label = strings.TrimSuffix(label, ">")
		for _, e := range r.Entities() {
			if strings.EqualFold(e.Label, label) {
				types = append(types, e.Name)
			}
		}
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// displayName splits a camelCase name into words for people.
func displayName(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case i == 0:
			r = unicode.ToUpper(r)
		case unicode.IsUpper(r):
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (t *typeSchema) add(f *Field) {
	t.fields = append(t.fields, f)
	t.byName[f.Name] = f
}

// merge adds a field. If the type has a field of that name, that field is widened.
func (t *typeSchema) merge(f *Field) {
	known, ok := t.byName[f.Name]
	if !ok {
		t.add(f)
		return
	}
	known.Array = known.Array || f.Array
	known.Text = known.Text || f.Text
	known.Class = min(known.Class, f.Class)
	known.Completes = known.Completes || f.Completes
	known.Sorts = known.Sorts || f.Sorts
	known.Facet = known.Facet || f.Facet
	if f.Facet && f.DisplayName != "" {
		known.DisplayName = f.DisplayName
	}
	if known.Weights == nil {
		known.Weights = f.Weights
	}
	known.Of = append(known.Of, f.Of...)
	known.Types = append(known.Types, f.Types...)
	slices.Sort(known.Types)
	known.Types = slices.Compact(known.Types)
}

// Fields returns the fields of an entity type.
func (s *Schema) Fields(entityType string) []*Field {
	if t := s.types[entityType]; t != nil {
		return t.fields
	}
	return nil
}

// Field finds a field of an entity type, including the fields of lists and of structured
// properties, which [Schema.Fields] does not return.
func (s *Schema) Field(entityType, name string) (*Field, bool) {
	t := s.types[entityType]
	if t == nil {
		return nil, false
	}
	if f, ok := t.byName[name]; ok {
		return f, true
	}
	list, key, ok := strings.Cut(name, ".")
	if !ok || key == "" {
		return nil, false
	}
	if list == structuredFields && s.Fills(entityType, model.AspectStructuredProperties) {
		return structuredField(key), true
	}
	if f := t.byName[list]; f != nil && f.Lists {
		return &Field{Name: name, Array: true}, true
	}
	return nil, false
}

// Has reports whether any entity type has a field of that name.
func (s *Schema) Has(name string) bool {
	return slices.ContainsFunc(s.names, func(entityType string) bool {
		_, ok := s.Field(entityType, name)
		return ok
	})
}

// structuredFields is the first part of the names of the fields of structured properties.
// The id of the property follows after a dot.
const structuredFields = model.AspectStructuredProperties

// structuredField returns the field of a structured property. Its values are texts in the
// form of [model.StructuredValues].
func structuredField(id string) *Field {
	return &Field{Name: ListField(structuredFields, id), Array: true, Structured: true}
}

// IsStructured reports whether a field is that of a structured property. Each such field is
// a facet, but not a default one.
func IsStructured(field string) bool { return strings.HasPrefix(field, structuredFields+".") }

// Fills reports whether an aspect affects the document of an entity.
func (s *Schema) Fills(entityType, aspect string) bool {
	t := s.types[entityType]
	return t != nil && t.aspects[aspect]
}

// Versioned returns the versioned aspects that fill fields of an entity type,
// its key aspect among them.
func (s *Schema) Versioned(entityType string) []string {
	if t := s.types[entityType]; t != nil {
		return t.versioned
	}
	return nil
}

// TimeSeries returns the time-series aspects whose newest value fills fields of
// an entity type.
func (s *Schema) TimeSeries(entityType string) []string {
	if t := s.types[entityType]; t != nil {
		return t.series
	}
	return nil
}

// Names lists the fields that documents may have, by their use, for engines that must be
// told.
type Names struct{ Facets, Numbers, SortKeys, Completions []string }

// Names returns the fields of all entity types.
func (s *Schema) Names() Names {
	sets := [4]map[string]bool{{}, {}, {}, {FieldURN: true}}
	for _, t := range s.types {
		for _, f := range t.fields {
			for i, is := range [4]bool{f.Facet, f.Kind == KindNumber, f.Sortable() && f.Kind != KindNumber, f.Completes} {
				if is {
					sets[i][f.Name] = true
				}
			}
		}
	}
	list := func(i int) []string { return slices.Sorted(maps.Keys(sets[i])) }
	return Names{Facets: list(0), Numbers: list(1), SortKeys: list(2), Completions: list(3)}
}

// layoutVersion changes whenever the projection makes other documents from the same
// aspects, or an engine stores documents in another way.
const layoutVersion = 9

// Fingerprint identifies the projection: its version in this release and the annotations of the model.
func (s *Schema) Fingerprint() string {
	h := sha256.New()
	fmt.Fprintln(h, layoutVersion)
	for _, name := range s.names {
		fmt.Fprintln(h, name)
		for _, f := range s.types[name].fields {
			fmt.Fprintf(h, "%+v\n", *f)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
