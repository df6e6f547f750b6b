package model

import (
	"maps"
	"slices"
)

// completeLists adds the required lists to a value that a patch has made of an absent one.
func (t *Type) completeLists(object map[string]any) {
	for _, field := range t.required {
		if _, exists := object[field.Name]; !exists && field.typ.kind == kindArray {
			object[field.Name] = []any{}
		}
	}
}

// emptyLists adds empty lists in place of required lists with keys that a patch has
// removed.
func (t *Type) emptyLists(object map[string]any, arrays []keyedArray) {
	for _, a := range arrays {
		name := a.at[0]
		field := t.byName[name]
		if _, exists := object[name]; !exists && len(a.at) == 1 && field != nil && slices.Contains(t.required, field) {
			object[name] = []any{}
		}
	}
}

// complete adds the required audit stamps to records that a patch has created.
func (t *Type) complete(item any, stamp Stamp) {
	switch t.kind {
	case kindRecord:
		object, ok := item.(map[string]any)
		if !ok {
			return
		}
		for _, field := range t.required {
			if _, exists := object[field.Name]; !exists && field.typ.name == auditStamp {
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

// auditStamp is the record with an actor and a time.
const auditStamp = "common.AuditStamp"
