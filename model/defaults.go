package model

import (
	"bytes"
	"encoding/json"
)

// Defaults are the default values of the members of a record that a value may leave out.
type Defaults struct {
	// Members are the defaults by name. In URNs, NamespaceMark stands for the namespace.
	Members map[string]json.RawMessage
	// Below are the defaults of records in members, also in arrays and maps. Records in
	// unions are left out.
	Below map[string]*Defaults
}

// NamespaceMark stands for the namespace of a URN in a default.
const NamespaceMark = "<ns>"

// In returns a default with a namespace in place of NamespaceMark.
func In(text json.RawMessage, namespace string) json.RawMessage {
	return bytes.ReplaceAll(text, []byte(NamespaceMark), []byte(namespace))
}

// Defaults returns the defaults of an aspect. It returns nil if neither its record nor any
// record inside it has defaults.
func (r *Registry) Defaults(aspect string) *Defaults {
	a, ok := r.Aspect(aspect)
	if !ok {
		return nil
	}
	return defaultsOf(a.typ, map[*Type]*Defaults{})
}

// defaultsOf returns the defaults of a type. seen has the results of the types visited so
// far, because records may contain themselves.
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
