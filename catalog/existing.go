package catalog

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// Exists reports whether any versioned aspect of an entity is stored; a
// soft-deleted entity exists.
func (c *Catalog) Exists(ctx context.Context, u model.URN) (bool, error) {
	nodes, err := c.store.Entities(ctx, []string{u.String()})
	if err != nil {
		return false, StoreFailure(err)
	}
	return len(nodes) > 0 && nodes[0].Exists, nil
}

// Existing reports which of several entities exist.
func (c *Catalog) Existing(ctx context.Context, urns []model.URN) (map[model.URN]bool, error) {
	nodes, err := c.store.Entities(ctx, Texts(urns))
	if err != nil {
		return nil, StoreFailure(err)
	}
	existing := make(map[model.URN]bool, len(nodes))
	for _, n := range nodes {
		if n.Exists {
			existing[model.StoredURN(n.URN)] = true
		}
	}
	return existing, nil
}
