package read

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Name returns the names and states of entities by their URNs, also for unknown entities. The
// number of store calls depends only on the number of chunks of limits.MaxIDs URNs. Texts that
// are not URNs are absent.
func (rd *Reader) Name(ctx context.Context, urns []string) (map[string]catalog.Named, error) {
	holders := make([]string, 0, len(urns))
	for _, urn := range urns {
		if u := model.StoredURN(urn); !u.IsZero() {
			holders = append(holders, catalog.HolderOf(u))
		}
	}
	nodes, err := rd.nodesOf(ctx, holders)
	if err != nil {
		return nil, err
	}
	named, platforms := make(map[string]catalog.Named, len(urns)), []string{}
	for _, urn := range urns {
		u := model.StoredURN(urn)
		if u.IsZero() {
			continue
		}
		holder := catalog.HolderOf(u)
		node := nodes[holder]
		n := catalog.Named{URN: urn, Type: u.EntityType(), Platform: catalog.PlatformOf(holder, &node), Exists: node.Exists, Removed: node.Removed}
		if _, path, ok := model.ColumnOf(u); ok {
			n.Name = path
		} else {
			n.Name = catalog.NameOf(rd.Registry(), urn, &node)
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
			n.PlatformName = catalog.NameOf(rd.Registry(), n.Platform, &node)
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
