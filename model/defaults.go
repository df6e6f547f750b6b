package model

import (
	"bytes"
	"encoding/json"
)

// Defaults are what the members of a record are when a value leaves them out.
type Defaults struct {
	// Members are the defaults by name; namespaces of URNs are NamespaceMark.
	Members map[string]json.RawMessage
	// Below are the defaults of the records that members hold, also in arrays
	// and maps. Records of unions are left out.
	Below map[string]*Defaults
}

// NamespaceMark stands for the namespace of a URN in a default.
const NamespaceMark = "<ns>"

// In spells a default for a namespace.
func In(text json.RawMessage, namespace string) json.RawMessage {
	return bytes.ReplaceAll(text, []byte(NamespaceMark), []byte(namespace))
}

// Defaults are those of an aspect; nil when its record has none, and neither
// has any record below it.
func (r *Registry) Defaults(aspect string) *Defaults {
	a, ok := r.Aspect(aspect)
	if !ok {
		return nil
	}
	return defaultsOf(a.typ, map[*Type]*Defaults{})
}

// defaultsOf are the defaults of a type, with those seen before: records may
// contain themselves.
func defaultsOf(t *Type, seen map[*Type]*Defaults) *Defaults {
	for t.kind == kindArray || t.kind == kindMap {
		t = t.elem
	}
	if t.kind != kindRecord {
		return nil
	}
	if d, ok := seen[t]; ok {
		return d
	}
	d := &Defaults{Members: map[string]json.RawMessage{}, Below: map[string]*Defaults{}}
	seen[t] = d
	for _, f := range t.fields {
		if f.Default != nil {
			d.Members[f.Name] = f.Default
		}
		if below := defaultsOf(f.typ, seen); below != nil {
			d.Below[f.Name] = below
		}
	}
	if len(d.Members) == 0 && len(d.Below) == 0 {
		seen[t] = nil
		return nil
	}
	return d
}
