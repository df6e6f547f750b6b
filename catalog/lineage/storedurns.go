package lineage

import (
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// A walk reaches many entities, so their URNs stay texts as the store returned them. These
// functions read parts of such a text.

// assetOf returns the entity of a column. For any other URN, assetOf returns the URN itself.
func assetOf(urn string) string {
	if u := model.StoredURN(urn); !u.IsZero() {
		return assetOfURN(u)
	}
	return urn
}

// assetOfURN is assetOf for a parsed URN.
func assetOfURN(u model.URN) string {
	if u.EntityType() == model.EntitySchemaField {
		asset, _ := u.Part(0)
		return asset
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

// columnPathOf is columnPath for a parsed URN.
func columnPathOf(u model.URN) string {
	path, ok := u.Part(1)
	if !ok {
		return u.String()
	}
	return model.DecodeFieldPath(path)
}

// namedBy reports whether one of the wanted texts is the URN or its last part.
func namedBy(wanted []string, urn string) bool {
	if urn == "" {
		return false
	}
	u := model.StoredURN(urn)
	return slices.ContainsFunc(wanted, func(w string) bool { return w == urn || w != "" && w == u.Key() })
}

// isRestricted reports whether a URN stands for a hidden step of a walk.
func isRestricted(urn string) bool { return typeOf(urn) == catalog.Restricted }
