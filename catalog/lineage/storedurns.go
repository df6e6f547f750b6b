package lineage

import (
	"slices"

	"github.com/headwater-io/headwater/model"
)

// A walk reaches many entities, so their URNs stay the text that the store has.
// These functions read from it what an answer needs.

// assetOf returns the entity to show for one that was reached: for a column,
// the entity that has it.
func assetOf(urn string) string {
	if u := model.StoredURN(urn); !u.IsZero() {
		return assetOfURN(u)
	}
	return urn
}

// assetOfURN does so for a URN that is parsed.
func assetOfURN(u model.URN) string {
	if u.EntityType() == model.EntitySchemaField {
		return u.Parts()[0]
	}
	return u.String()
}

// columnPath returns the path of a column in its entity.
func columnPath(urn string) string {
	if u := model.StoredURN(urn); !u.IsZero() {
		return columnPathOf(u)
	}
	return urn
}

// columnPathOf does so for a URN that is parsed.
func columnPathOf(u model.URN) string {
	parts := u.Parts()
	if len(parts) < 2 {
		return u.String()
	}
	return model.DecodeFieldPath(parts[1])
}

// namedBy reports whether one of the wanted texts is the URN or its last part.
func namedBy(wanted []string, urn string) bool {
	if urn == "" {
		return false
	}
	u := model.StoredURN(urn)
	return slices.ContainsFunc(wanted, func(w string) bool { return w == urn || w != "" && w == u.Key() })
}
