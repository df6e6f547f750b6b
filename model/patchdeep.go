package model

import "maps"

// complete fills in members that follow from the patch in records that it
// created: the key of an item of a keyed array, when the patch named it in its
// path, and required audit stamps.
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

// named sets the key of an item of a keyed array to the one in the patch's path,
// unless the item has it.
func (a keyedArray) named(item any, depth int, key string) {
	object, ok := item.(map[string]any)
	if !ok || a.keys[depth] == "" {
		return
	}
	if _, there := object[a.keys[depth]]; !there {
		object[a.keys[depth]] = key
	}
}
