package model

import (
	"regexp"
)

// NodeName returns the name of an entity of which only the URN is known. It is
// never empty, and shortened as the properties of graph nodes are.
func (r *Registry) NodeName(u URN) string {
	parts := u.Parts()
	name := parts[len(parts)-1]
	if e, ok := r.Entity(u.EntityType()); ok && len(parts) == len(e.KeyFields) {
		name = parts[e.nameField()]
		if e.Name == EntitySchemaField {
			name = columnName(name)
		}
	}
	if inner := StoredURN(name); !inner.IsZero() {
		return r.NodeName(inner)
	}
	if name == "" {
		name = u.text
	}
	return shorten(name)
}

// nameField is the index of the part of a key that names its entity: the one
// called name, else the last one that is not a property of every node. The last part
// of the key of a data flow is its cluster.
func (e *Entity) nameField() int {
	last := 0
	for i, field := range e.KeyFields {
		switch {
		case field.Name == "name", field.Name == "flowId":
			return i
		case !reservedProperties[field.Name]:
			last = i
		}
	}
	return last
}

// columnName returns the name of a column from the part of its URN.
func columnName(part string) string {
	if plain := PlainPath(DecodeFieldPath(part)); plain != "" {
		return plain
	}
	return part
}

// typeStep is a step of a column's path that contains a type and not a name:
// [version=2.0].[type=string].name is the column name.
var typeStep = regexp.MustCompile(`\[[^\]]*\]\.?`)

// PlainPath returns a column's path without the steps that contain types.
func PlainPath(path string) string { return typeStep.ReplaceAllString(path, "") }

// ColumnOf returns the entity that a column belongs to, and the column's path as its
// schema has it. Other URNs belong to none.
func ColumnOf(u URN) (holder URN, path string, ok bool) {
	if u.EntityType() != EntitySchemaField {
		return URN{}, "", false
	}
	parts := u.Parts()
	if len(parts) != 2 {
		return URN{}, "", false
	}
	holder = StoredURN(parts[0])
	return holder, DecodeFieldPath(parts[1]), !holder.IsZero()
}
