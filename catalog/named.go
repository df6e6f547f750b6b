package catalog

import (
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// Named is an entity as a list or a graph names it.
type Named struct {
	URN, Type string
	// Name is the display name; of a column, its path.
	Name string
	// Platform is the URN of its platform, PlatformName the name of that. Both are
	// empty for an entity without a platform.
	Platform, PlatformName string
	// Exists is false if nothing was ever ingested of it. Removed is the soft-delete
	// mark. A column has those of its entity.
	Exists, Removed bool
}

// HolderOf returns the URN of the entity that has a column, and that of any other
// entity itself.
func HolderOf(u model.URN) string {
	if holder, _, ok := model.ColumnOf(u); ok {
		return holder.String()
	}
	return u.String()
}

// NameOf returns the display name of an entity: that of its node, or the one in its
// URN.
func NameOf(r *model.Registry, urn string, node *graphstore.Entity) string {
	u := model.StoredURN(urn)
	if name, ok := node.Properties["displayName"].(string); ok && name != "" && u.EntityType() == model.EntityDataPlatform {
		return name // its name is a part of addresses
	}
	if name, ok := node.Properties["name"].(string); ok && name != "" {
		return name
	}
	if !u.IsZero() {
		return r.NodeName(u)
	}
	return urn
}

// PlatformOf returns the URN of an entity's platform, "" if it has none.
func PlatformOf(urn string, node *graphstore.Entity) string {
	// A dataset has its platform in its key, also if it was never ingested.
	if u := model.StoredURN(urn); u.EntityType() == model.EntityDataset {
		return u.Parts()[0]
	}
	platform, _ := node.Properties["platform"].(string)
	return platform
}
