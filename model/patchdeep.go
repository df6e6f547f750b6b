package model

import (
	"maps"
	"slices"
)

// completeLists fills in the required lists of a value that a patch made of nothing.
func (t *Type) completeLists(object map[string]any) {
	for _, field := range t.required {
		if _, there := object[field.Name]; !there && field.typ.kind == kindArray {
			object[field.Name] = []any{}
		}
	}
}

// emptyLists leaves required lists with keys empty that a patch removed as a whole.
func (t *Type) emptyLists(object map[string]any, arrays []keyedArray) {
	for _, a := range arrays {
		name := a.at[0]
		field := t.byName[name]
		if _, there := object[name]; !there && len(a.at) == 1 && field != nil && slices.Contains(t.required, field) {
			object[name] = []any{}
		}
	}
}

// complete fills in required audit stamps in records that a patch created.
func (t *Type) complete(item any, stamp Stamp) {
	switch t.kind {
	case kindRecord:
		object, ok := item.(map[string]any)
		if !ok {
			return
		}
		for _, field := range t.required {
			if _, there := object[field.Name]; !there && field.typ.name == auditStamp {
				object[field.Name] = stampValue(stamp)
			}
		}
		for name, inner := range object {
			if field := t.byName[name]; field != nil {
				field.typ.complete(inner, stamp)
			}
		}
	case kindArray:
		list, _ := item.([]any)
		for _, inner := range list {
			t.elem.complete(inner, stamp)
		}
	case kindMap:
		object, _ := item.(map[string]any)
		for inner := range maps.Values(object) {
			t.elem.complete(inner, stamp)
		}
	}
}

// auditStamp is the record of who did something and when.
const auditStamp = "common.AuditStamp"
