package model

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/nearest"
)

// typeMember is the member that names the record of a value in the form of the first
// OpenAPI calls. In place of {"com.linkedin.schema.StringType":{}}, this form has
// {"__type":"StringType"}. The value of an aspect has the member too.
const typeMember = "__type"

// namedRecords are the records whose values have the member everywhere.
var namedRecords = []string{"GlobalTags", "GlossaryTerms"}

// simpleName returns the part of a record's name after the last dot.
func simpleName(record string) string { return record[strings.LastIndex(record, ".")+1:] }

// AspectOfType returns the aspect of an entity type whose values have this type member. If
// there is none, near has similar names.
func (r *Registry) AspectOfType(e *Entity, name string) (aspect string, near []string, ok bool) {
	var types []string
	for _, aspect := range append([]string{e.KeyAspect}, e.Aspects...) {
		a := r.AnyAspect(aspect)
		if simpleName(a.Record) == name || strings.EqualFold(a.Name, name) {
			return aspect, nil, true
		}
		types = append(types, simpleName(a.Record))
	}
	return "", nearest.Names(name, slices.Values(types)), false
}

// TypeOf returns the type member of an aspect's value, "" if it has none.
func TypeOf(value json.RawMessage) string {
	var named struct {
		Type string `json:"__type"`
	}
	if json.Unmarshal(value, &named) != nil {
		return "" // the code that reads the value refuses it
	}
	return named.Type
}

// WithTypes returns a stored value of an aspect with type members.
func (r *Registry) WithTypes(aspect string, value json.RawMessage) (json.RawMessage, error) {
	tree, err := decodeObject(value)
	if err != nil {
		return nil, err
	}
	a := r.AnyAspect(aspect)
	r.addTypes(a.typ, tree)
	name := a.Name
	if a.Record != "" {
		name = simpleName(a.Record)
	}
	tree[typeMember] = name
	return jsontree.Encode(tree)
}

// addTypes adds type members to a value in place, and returns the value.
func (r *Registry) addTypes(t *Type, value any) any {
	switch value := value.(type) {
	case []any:
		if t.kind == kindArray {
			for i := range value {
				value[i] = r.addTypes(t.elem, value[i])
			}
		}
	case map[string]any:
		switch t.kind {
		case kindRecord:
			for name, item := range value {
				if field, ok := t.byName[name]; ok {
					value[name] = r.addTypes(field.typ, item)
				}
			}
			if name := simpleName(t.name); slices.Contains(namedRecords, name) {
				value[typeMember] = name
			}
		case kindMap:
			for key, item := range value {
				value[key] = r.addTypes(t.elem, item)
			}
		case kindUnion:
			return r.addUnionType(t, value)
		}
	}
	return value
}

func (r *Registry) addUnionType(t *Type, union map[string]any) any {
	if len(union) != 1 {
		return union
	}
	for key, inner := range union {
		member := r.neutralName(key)
		record, ok := inner.(map[string]any)
		if t.members[member] == nil || !ok {
			return union
		}
		r.addTypes(t.members[member], record)
		record[typeMember] = simpleName(member)
		return record
	}
	return union
}

// WithoutTypes converts a value with type members to the usual form. It does not change a
// value in the usual form. The errors are *SyntaxError.
func (r *Registry) WithoutTypes(aspect string, value json.RawMessage) (json.RawMessage, error) {
	tree, err := decodeObject(value)
	if err != nil {
		return nil, err
	}
	converted, err := r.dropTypes(r.AnyAspect(aspect).typ, tree)
	if err != nil {
		return nil, err
	}
	return jsontree.Encode(converted)
}

// dropTypes removes type members from a value in place, and returns the value.
func (r *Registry) dropTypes(t *Type, value any) (any, error) {
	var err error
	switch value := value.(type) {
	case []any:
		for i := range value {
			if t.kind == kindArray && err == nil {
				value[i], err = r.dropTypes(t.elem, value[i])
			}
		}
	case map[string]any:
		switch t.kind {
		case kindRecord:
			delete(value, typeMember)
			for name, item := range value {
				if field, ok := t.byName[name]; ok && err == nil {
					value[name], err = r.dropTypes(field.typ, item)
				}
			}
		case kindMap:
			for key, item := range value {
				if err == nil {
					value[key], err = r.dropTypes(t.elem, item)
				}
			}
		case kindUnion:
			return r.dropUnionType(t, value)
		}
	}
	return value, err
}

func (r *Registry) dropUnionType(t *Type, union map[string]any) (any, error) {
	if given, ok := union[typeMember]; ok {
		var names []string
		for member, isRecord := range t.recordMember {
			if !isRecord {
				continue
			}
			if simpleName(member) == given {
				record, err := r.dropTypes(t.members[member], union)
				return map[string]any{r.dialects[0].RecordName(member): record}, err
			}
			names = append(names, simpleName(member))
		}
		slices.Sort(names)
		name, _ := given.(string)
		return nil, &SyntaxError{Reason: typeMember + ` is "` + shortened(name) + `"` + nearest.Among(name, names, "types here")}
	}
	if len(union) != 1 {
		return union, nil
	}
	for key, inner := range union {
		if member := t.members[r.neutralName(key)]; member != nil {
			converted, err := r.dropTypes(member, inner)
			return map[string]any{key: converted}, err
		}
	}
	return union, nil
}
