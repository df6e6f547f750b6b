package model

import (
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// SearchField is one searchable field of an aspect.
type SearchField struct {
	// Name is the field's name in the index. Several fields may have the same name.
	Name     string   `json:"indexField"`
	Entities []string `json:"entities"`
	Aspect   string   `json:"aspect"`
	Path     string   `json:"fieldPath"`
	// Type is KEYWORD, TEXT, TEXT_PARTIAL, WORD_GRAM, URN, URN_PARTIAL, BOOLEAN,
	// COUNT, DATETIME, BROWSE_PATH, BROWSE_PATH_V2 or [MapArray].
	Type      string `json:"fieldType"`
	ValueType string `json:"valueType"`
	Array     bool   `json:"array"`
	// QueryByDefault: queries without a field search this field.
	QueryByDefault bool `json:"-"`
	// StatedByDefault is QueryByDefault as the table's row states it, nil if it does not.
	// Without it, exactly the fields of texts and URNs are searched by default, as in the
	// reference.
	StatedByDefault *bool       `json:"queryByDefaultEffective"`
	Flags           SearchFlags `json:"flags"`

	steps []string
}

// searchedByDefault are the types of fields that are searched by default.
var searchedByDefault = []string{"TEXT", "TEXT_PARTIAL", "WORD_GRAM", "URN", "URN_PARTIAL"}

// SearchFlags are the annotations of a searchable field.
type SearchFlags struct {
	BoostScore           float64            `json:"boostScore"`
	EnableAutocomplete   bool               `json:"enableAutocomplete"`
	AddToFilters         bool               `json:"addToFilters"`
	FilterNameOverride   string             `json:"filterNameOverride"`
	HasValuesFieldName   string             `json:"hasValuesFieldName"`
	NumValuesFieldName   string             `json:"numValuesFieldName"`
	WeightsPerFieldValue map[string]float64 `json:"weightsPerFieldValue"`
	// FieldNameAliases are further names of the field. Fields of other types may have the
	// same aliases.
	FieldNameAliases []string `json:"fieldNameAliases"`
	// AddHasValuesToFilters makes the field HasValuesFieldName a facet.
	AddHasValuesToFilters bool `json:"addHasValuesToFilters"`
	// SystemModifiedAtFieldName is the name of a field with the time of the aspect's last
	// change in epoch milliseconds.
	SystemModifiedAtFieldName string `json:"systemModifiedAtFieldName"`
}

// MapArray is the type of a field whose values are the keys of a map of lists. The list of
// each key is also a field. Its name is [SearchField.Name], a dot and the key.
const MapArray = "MAP_ARRAY"

// SearchValue has the values of an aspect for one search field.
type SearchValue struct {
	Field *SearchField
	// Values are of the types string, int64, float64 and bool.
	Values []any
	// Lists has the lists of a field of type [MapArray], by key.
	Lists map[string][]any
}

// SearchFields returns the search fields that an aspect of an entity type can fill, with
// their values. It also returns fields without values, because fields for presence and
// counts depend on them. The entries of a map become key=value.
func (r *Registry) SearchFields(entityType string, v *Value) []SearchValue {
	var values []SearchValue
	tree := v.searchTree()
	for _, field := range v.Aspect.search {
		if !slices.Contains(field.Entities, entityType) {
			continue
		}
		value := SearchValue{Field: field}
		jsontree.Walk(tree, field.steps, func(leaf any, _ []string) {
			value.Values = appendScalars(value.Values, leaf)
		})
		if field.Type == MapArray {
			value.Lists = field.lists(tree)
		}
		values = append(values, value)
	}
	return values
}

// lists returns the lists in the map whose keys are the values of the field.
func (f *SearchField) lists(tree map[string]any) map[string][]any {
	object, _ := jsontree.At(tree, f.steps[:len(f.steps)-1]...).(map[string]any)
	lists := make(map[string][]any, len(object))
	for key, list := range object {
		lists[key] = appendScalars(nil, list)
	}
	return lists
}

func appendScalars(values []any, leaf any) []any {
	switch leaf := leaf.(type) {
	case string, bool:
		return append(values, leaf)
	case json.Number:
		if n, err := leaf.Int64(); err == nil {
			return append(values, n)
		}
		if f, err := leaf.Float64(); err == nil {
			return append(values, f)
		}
	case []any:
		for _, item := range leaf {
			values = appendScalars(values, item)
		}
	case map[string]any:
		keys := make([]string, 0, len(leaf))
		for key := range leaf {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			if text, ok := leaf[key].(string); ok {
				values = append(values, key+"="+text)
			}
		}
	}
	return values
}

// maxPropertyRunes is the length in characters of the longest text in a property of a graph
// node. The aspect has the complete text.
const maxPropertyRunes = 512

// reservedProperties are property names that graph nodes use themselves.
var reservedProperties = map[string]bool{
	"urn": true, "entityType": true, "exists": true, "removed": true, "inSchema": true,
	ShownCustomProperties: true, ShownStructuredProperties: true, ShownSubtypes: true, ShownPlatform: true,
	"rowCount": true, "columnCount": true, "sizeInBytes": true, "profiledOn": true,
}

// reservedColumnProperties are further property names that the nodes of columns use
// themselves.
var reservedColumnProperties = map[string]bool{"dataType": true, "nativeType": true, "nullable": true, "description": true, "editedDescription": true}

// GivesNodeProperties reports whether an aspect can give nodes of an entity type
// properties.
func (r *Registry) GivesNodeProperties(entityType, aspect string) bool {
	a := r.aspects[aspect]
	return a != nil && (a.IsKey || slices.ContainsFunc(a.search, func(f *SearchField) bool { return f.isNodeProperty(entityType) }))
}

// NodeProperties returns the properties that an aspect gives the node of its entity: the
// scalar search fields and, for a key aspect, the parts of the key. A node without a name
// field gets a name from its title, display name or key.
func (r *Registry) NodeProperties(entityType string, v *Value) map[string]any {
	properties := map[string]any{}
	if e := r.entities[entityType]; v.Aspect.IsKey && e != nil {
		return e.keyProperties(v)
	}
	for _, field := range v.Aspect.search {
		if !field.isNodeProperty(entityType) {
			continue
		}
		jsontree.Walk(v.Tree, field.steps, func(leaf any, _ []string) {
			if scalars := appendScalars(nil, leaf); len(scalars) == 1 {
				if text, ok := scalars[0].(string); ok {
					scalars[0] = shorten(text)
				}
				properties[field.Name] = scalars[0]
			}
		})
	}
	if name := v.name(); name != "" {
		properties["name"] = name
	}
	if _, named := properties["name"]; !named {
		for _, other := range nameSources {
			if text, ok := properties[other].(string); ok {
				properties["name"] = text
				break
			}
		}
	}
	return properties
}

// name returns the name of an entity from a value without a name field, "" if there is
// none.
func (v *Value) name() string {
	if v.Aspect.Name == AspectAssertionInfo {
		return AssertionName(v.Tree)
	}
	return ""
}

// keyProperties returns the properties that a key gives the node of its entity.
func (e *Entity) keyProperties(v *Value) map[string]any {
	properties := map[string]any{}
	for i, field := range e.KeyFields {
		text, ok := v.Tree[field.Name].(string)
		if !ok || reservedProperties[field.Name] {
			continue
		}
		name := text
		if e.Name == EntitySchemaField && field.Name == fieldPathField {
			name, text = columnName(text), DecodeFieldPath(text)
		}
		properties[field.Name] = shorten(text)
		if i == e.nameField() {
			properties["name"] = shorten(name)
			if e.Name == EntityDataset {
				properties["qualifiedName"] = shorten(text)
			}
		}
	}
	return properties
}

// fieldPathField is the part of a column's key with the path.
const fieldPathField = "fieldPath"

// nameSources are the fields from which a node gets its name, the best first.
var nameSources = []string{"displayName", "title"}

func (f *SearchField) isNodeProperty(entityType string) bool {
	if f.Array || reservedProperties[f.Name] || entityType == EntitySchemaField && reservedColumnProperties[f.Name] || !slices.Contains(f.Entities, entityType) {
		return false
	}
	return f.Type != "BROWSE_PATH" && f.Type != "BROWSE_PATH_V2" && len(f.ValueType) > 0 && f.ValueType[0] != 'm'
}

func shorten(text string) string {
	if len(text) <= maxPropertyRunes {
		return text
	}
	runes := 0
	for i := range text {
		if runes == maxPropertyRunes {
			return text[:i]
		}
		runes++
	}
	return text
}

// SearchFieldsOf returns the search fields of all aspects of an entity type, the fields of the key
// aspect first.
func (r *Registry) SearchFieldsOf(entityType string) []*SearchField {
	e := r.entities[entityType]
	if e == nil {
		return nil
	}
	var fields []*SearchField
	for _, name := range append([]string{e.KeyAspect}, e.Aspects...) {
		for _, field := range r.aspects[name].search {
			if slices.Contains(field.Entities, entityType) {
				fields = append(fields, field)
			}
		}
	}
	return fields
}
