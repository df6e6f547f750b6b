package write

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// Exists reports whether any versioned aspect of an entity is stored; a
// soft-deleted entity exists. For a caller, an entity that the caller may not see does not exist.
func (w *Writer) Exists(ctx context.Context, u model.URN) (bool, error) {
	nodes, err := w.shown.Entities(ctx, []string{u.String()})
	if err != nil {
		return false, catalog.StoreFailure(err)
	}
	return len(nodes) > 0 && nodes[0].Exists, nil
}

// Existing reports which of several entities exist.
func (w *Writer) Existing(ctx context.Context, urns []model.URN) (map[model.URN]bool, error) {
	nodes, err := w.shown.Entities(ctx, catalog.Texts(urns))
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	existing := make(map[model.URN]bool, len(nodes))
	for _, n := range nodes {
		if n.Exists {
			existing[model.StoredURN(n.URN)] = true
		}
	}
	return existing, nil
}
