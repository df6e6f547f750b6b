package model

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// Texts of errors that clients know.
const (
	missingField = "field is required but not found and has no default value"
	unknownField = "unrecognized field found but not allowed"
)

// maxFaults is the largest number of faults that are recorded of a value.
const maxFaults = 100

// validator checks one value against its type. It also normalises the tree where the
// interface permits several forms.
type validator struct {
	registry *Registry
	dialect  Dialect
	path     []string
	faults   []Fault
	// urn is the first faulty URN.
	urn     *URNError
	changed bool
	// keep decides which members that their records lack are kept; nil keeps none. kept has
	// the kept members, each once.
	keep func(UnknownMember) bool
	kept []UnknownMember
}

func (v *validator) push(step string) { v.path = append(v.path, step) }
func (v *validator) pop()             { v.path = v.path[:len(v.path)-1] }

func (v *validator) at() string { return "/" + strings.Join(v.path, "/") }

func (v *validator) fault(format string, args ...any) {
	if len(v.faults) < maxFaults {
		v.faults = append(v.faults, Fault{Path: v.at(), Message: fmt.Sprintf(format, args...)})
	}
}

func (v *validator) record(t *Type, object map[string]any) {
	if t.open {
		return
	}
	for name, item := range object {
		field, ok := t.byName[name]
		v.push(name)
		switch {
		case !ok:
			v.unknown(t, name)
		case item == nil:
			// Some senders write null for an absent field.
			delete(object, name)
			v.changed = true
		default:
			if replaced, ok := v.value(field.typ, item); ok {
				object[name] = replaced
				v.changed = true
			}
		}
		v.pop()
	}
	for _, field := range t.required {
		if _, ok := object[field.Name]; !ok {
			v.push(field.Name)
			v.fault(missingField)
			v.pop()
		}
	}
}

// value checks one value. If the value's form must be normalised, it returns the
// replacement and true.
func (v *validator) value(t *Type, item any) (any, bool) {
	switch t.kind {
	case kindRecord:
		if object, ok := item.(map[string]any); ok {
			v.record(t, object)
			return nil, false
		}
	case kindArray:
		if list, ok := item.([]any); ok {
			v.array(t, list)
			return nil, false
		}
	case kindMap:
		if object, ok := item.(map[string]any); ok {
			v.mapping(t, object)
			return nil, false
		}
	case kindUnion:
		return v.union(t, item)
	case kindBoolean:
		if _, ok := item.(bool); ok {
			return nil, false
		}
	case kindInt, kindLong, kindFloat, kindDouble:
		if number, ok := item.(json.Number); ok {
			return v.number(t, number)
		}
	default:
		if text, ok := item.(string); ok {
			v.text(t, text)
			return nil, false
		}
	}
	v.fault("%s cannot be coerced to %s", describe(item), t)
	return nil, false
}

func (v *validator) array(t *Type, list []any) {
	for i, item := range list {
		v.push(strconv.Itoa(i))
		if replaced, ok := v.value(t.elem, item); ok {
			list[i] = replaced
			v.changed = true
		}
		v.pop()
	}
}

func (v *validator) mapping(t *Type, object map[string]any) {
	for key, item := range object {
		v.push(key)
		if replaced, ok := v.value(t.elem, item); ok {
			object[key] = replaced
			v.changed = true
		}
		v.pop()
	}
}

func (v *validator) union(t *Type, item any) (any, bool) {
	object, ok := item.(map[string]any)
	if !ok && t.only != "" && item != nil {
		// A union of one member may be sent without its wrapper.
		object = map[string]any{t.only: item}
		v.union(t, object)
		return object, true
	}
	if !ok || len(object) != 1 {
		v.fault("%s is not a union value: it must be an object with one member", describe(item))
		return nil, false
	}
	for key, inner := range object {
		bare := key
		member, ok := t.members[bare]
		if !ok || t.recordMember[bare] {
			bare = v.registry.neutralName(key)
			if member, ok = t.members[bare]; !ok || !t.recordMember[bare] {
				v.fault("%q is not a member type of the union", key)
				return nil, false
			}
		}
		v.push(key)
		if replaced, ok := v.value(member, inner); ok {
			object[key] = replaced
			v.changed = true
		}
		v.pop()
		if !t.recordMember[bare] {
			continue
		}
		if spelled := v.dialect.RecordName(bare); spelled != key {
			return map[string]any{spelled: object[key]}, true
		}
	}
	return nil, false
}

func (v *validator) number(t *Type, number json.Number) (any, bool) {
	text := string(number)
	if t.kind == kindFloat || t.kind == kindDouble {
		if f, err := strconv.ParseFloat(text, 64); err != nil || math.IsInf(f, 0) {
			v.fault("%s is out of range for %s", text, t)
		}
		return nil, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	spelledAsInteger := err == nil
	if !spelledAsInteger {
		// 3.0 and 3e2 are integers too.
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
			v.fault("%s cannot be coerced to %s", text, t)
			return nil, false
		}
		n = int64(f)
	}
	if t.kind == kindInt && (n < math.MinInt32 || n > math.MaxInt32) {
		v.fault("%s is out of range for %s", text, t)
		return nil, false
	}
	if spelledAsInteger {
		return nil, false
	}
	return json.Number(strconv.FormatInt(n, 10)), true
}

func (v *validator) text(t *Type, text string) {
	switch t.kind {
	case kindEnum:
		if !t.symbols[text] {
			v.fault("%q is not an enum symbol of %s", text, t)
		}
	case kindURN:
		if err := v.registry.checkReference(t, text); err != nil && v.urn == nil {
			err.Path = v.at()
			v.urn = err
		}
	}
}

// checkReference checks a URN in an aspect.
func (r *Registry) checkReference(t *Type, text string) *URNError {
	u, err := ParseURN(text)
	if err != nil {
		return asURNError(err)
	}
	if err := u.CheckLength(); err != nil {
		return asURNError(err)
	}
	if t.entity == legacyFieldType && u.EntityType() == t.entity {
		return nil // a legacy URN type that is no entity type
	}
	if err := r.checkKey(u); err != nil {
		return asURNError(err)
	}
	u = r.Normal(u)
	if t.entity != "" && t.entity != u.EntityType() {
		return &URNError{URN: text, Reason: fmt.Sprintf("it names a %s, but a %s is required", u.EntityType(), t.entity)}
	}
	return nil
}

func asURNError(err error) *URNError {
	if e, ok := err.(*URNError); ok { //nolint:errorlint // both callers return the error unwrapped
		return e
	}
	return &URNError{Reason: err.Error()}
}

// String returns the name of a type for messages.
func (t *Type) String() string {
	switch t.kind {
	case kindBoolean:
		return "boolean"
	case kindInt:
		return "int"
	case kindLong:
		return "long"
	case kindFloat:
		return "float"
	case kindDouble:
		return "double"
	case kindBytes:
		return "bytes"
	case kindURN:
		return "urn"
	case kindEnum, kindRecord:
		return t.name[strings.LastIndexByte(t.name, '.')+1:]
	case kindArray:
		return "array"
	case kindMap:
		return "map"
	case kindUnion:
		return "union"
	}
	return "string"
}

// describe returns a value for messages, shortened.
func describe(item any) string {
	text, err := jsontree.Encode(item)
	if err != nil {
		return "the value"
	}
	if len(text) > 60 {
		return string([]rune(string(text))[:min(60, len([]rune(string(text))))]) + "…"
	}
	return string(text)
}
