package read

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Named has the name and the state of an entity, for a list or a graph.
type Named struct {
	URN, Type string
	// Name is the display name; of a column, its path.
	Name string
	// Platform is the URN of the entity's platform, PlatformName the name of the platform. Both
	// are empty for an entity without a platform.
	Platform, PlatformName string
	// Exists is false if the entity was never ingested. Removed is the soft-delete mark. A column
	// has the Exists and Removed of its entity.
	Exists, Removed bool
}

// Name returns the names and states of entities by their URNs, also for unknown entities. The
// number of store calls depends only on the number of chunks of limits.MaxIDs URNs. Texts that
// are not URNs are absent.
func (rd *Reader) Name(ctx context.Context, urns []string) (map[string]Named, error) {
	holders := make([]string, 0, len(urns))
	for _, urn := range urns {
		if u := model.StoredURN(urn); !u.IsZero() {
			holders = append(holders, model.HolderOf(u))
		}
	}
	nodes, err := rd.nodesOf(ctx, holders)
	if err != nil {
		return nil, err
	}
	named, platforms := make(map[string]Named, len(urns)), []string{}
	for _, urn := range urns {
		u := model.StoredURN(urn)
		if u.IsZero() {
			continue
		}
		holder := model.HolderOf(u)
		node := nodes[holder]
		n := Named{URN: urn, Type: u.EntityType(), Platform: PlatformOf(holder, &node), Exists: node.Exists, Removed: node.Removed}
		if _, path, ok := model.ColumnOf(u); ok {
			n.Name = path
		} else {
			n.Name = NameOf(rd.Registry(), urn, &node)
		}
		if n.Platform != "" {
			platforms = append(platforms, n.Platform)
		}
		named[urn] = n
	}
	if nodes, err = rd.nodesOf(ctx, platforms); err != nil {
		return nil, err
	}
	for urn, n := range named {
		if n.Platform != "" {
			node := nodes[n.Platform]
			n.PlatformName = NameOf(rd.Registry(), n.Platform, &node)
			named[urn] = n
		}
	}
	return named, nil
}

// nodesOf reads the nodes of entities by their URNs.
func (rd *Reader) nodesOf(ctx context.Context, urns []string) (map[string]graphstore.Entity, error) {
	slices.Sort(urns)
	urns = slices.Compact(urns)
	found := make(map[string]graphstore.Entity, len(urns))
	for some := range slices.Chunk(urns, limits.MaxIDs) {
		nodes, err := rd.store.Entities(ctx, some)
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		for _, n := range nodes {
			found[n.URN] = n
		}
	}
	return found, nil
}

// NameOf returns the display name of an entity: the name that its node has, or else the name in
// its URN.
func NameOf(r *model.Registry, urn string, node *graphstore.Entity) string {
	u := model.StoredURN(urn)
	if name, ok := node.Properties["displayName"].(string); ok && name != "" && u.EntityType() == model.EntityDataPlatform {
		return name // the name of a platform is a part of addresses, so people need its display name
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
		platform, _ := u.Part(0)
		return platform
	}
	platform, _ := node.Properties["platform"].(string)
	return platform
}
