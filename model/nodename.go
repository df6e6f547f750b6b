package model

import (
	"regexp"
	"strings"

	"github.com/headwater-io/headwater/internal/limits"
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

// Columns returns the URNs of the columns that a value gives its owner, each once, in
// their order. Only schemas give any. A path that cannot be part of a URN is left out.
func Columns(owner URN, v *Value) []string {
	if v == nil || v.Aspect.Name != AspectSchemaMetadata {
		return nil
	}
	paths := textsAt(v.Tree, "fields/*/fieldPath")
	columns, seen := make([]string, 0, len(paths)), make(map[string]bool, len(paths))
	beginning := "urn:" + owner.Namespace() + ":" + EntitySchemaField + ":(" + owner.text + ","
	for _, path := range paths {
		// No parse: this is done for every column of every schema, inside transactions.
		column := beginning + EncodeFieldPath(path) + ")"
		if path == "" || seen[column] || encodedLen(column) > limits.MaxColumnURNBytes || strings.ContainsAny(path, "\x00"+unitSeparator) {
			continue
		}
		seen[column] = true
		columns = append(columns, column)
	}
	return columns
}
