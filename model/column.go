package model

import (
	"regexp"
	"strings"

	"github.com/headwater-io/headwater/internal/limits"
)

// A column is an entity of its own, a schemaField. The key of its URN has two parts: the
// URN of the entity that has the column, and the path of the column in the entity's schema.

// ColumnURN builds the URN of a column from the entity that has the column and the
// column's path as its schema has it.
func ColumnURN(owner URN, path string) (URN, error) {
	return BuildURN(owner.Namespace(), EntitySchemaField, owner.text, EncodeFieldPath(path))
}

// columnText is the text of a column's URN, "" if the path cannot be part of a URN.
// columnText does not parse the URN: the text is needed for every column of every schema,
// inside transactions.
func columnText(owner URN, path string) string {
	if path == "" || strings.ContainsAny(path, "\x00"+unitSeparator) {
		return ""
	}
	urn := "urn:" + owner.Namespace() + ":" + EntitySchemaField + ":(" + owner.text + "," + EncodeFieldPath(path) + ")"
	if encodedLen(urn) > limits.MaxColumnURNBytes {
		return ""
	}
	return urn
}

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

// encodeFieldPath encodes a column's path so that the path is one part of a URN.
var encodeFieldPath = strings.NewReplacer("(", "%28", ")", "%29", ",", "%2C")

// EncodeFieldPath writes a column's path as a part of its URN.
func EncodeFieldPath(path string) string { return encodeFieldPath.Replace(path) }

// decodeFieldPath is the opposite of encodeFieldPath.
var decodeFieldPath = strings.NewReplacer("%28", "(", "%29", ")", "%2C", ",")

// DecodeFieldPath reads a column's path from the part of its URN.
func DecodeFieldPath(part string) string { return decodeFieldPath.Replace(part) }

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

// HolderOf returns the URN of the entity that has a column, and that of any other
// entity itself.
func HolderOf(u URN) string {
	if holder, _, ok := ColumnOf(u); ok {
		return holder.String()
	}
	return u.String()
}
