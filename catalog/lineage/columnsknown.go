package lineage

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/model"
)

// schemaVersionsRead is the number of former schemas in which a column is looked for when a
// request is about the past.
const schemaVersionsRead = 100

// requireColumn fails with NotFound, and suggests similar names, when the entity does not have
// the column of a request: the entity has a schema without the column, and no lineage names the
// column. If the request is about the past, former schemas count too. An entity without a
// schema is taken to have every column.
func (s *Service) requireColumn(ctx context.Context, column model.URN, past bool) error {
	nodes, err := s.store.Entities(ctx, []string{column.String()})
	if err != nil || len(nodes) > 0 {
		return catalog.StoreFailure(err)
	}
	page := graphstore.Page{Count: 1}
	if past {
		page.Count = schemaVersionsRead
	}
	asset, path := assetOfURN(column), columnPathOf(column)
	stored, err := s.store.AspectVersions(ctx, graphstore.AspectKey{URN: asset, Name: model.AspectSchemaMetadata}, page)
	if err != nil || len(stored) == 0 {
		return catalog.StoreFailure(err)
	}
	var known []string
	for i := range stored {
		paths, err := statements.FieldPathsOf(stored[i].Value)
		if err != nil {
			return catalog.Errorf(catalog.Internal, "%s of %s: %w", model.AspectSchemaMetadata, asset, err)
		}
		known = append(known, paths...)
	}
	if slices.ContainsFunc(known, func(p string) bool { return p == path || model.PlainPath(p) == model.PlainPath(path) }) {
		return nil
	}
	offered := make([]string, 0, len(known))
	for _, p := range known {
		offered = append(offered, model.PlainPath(p))
	}
	return catalog.Errorf(catalog.NotFound, "%s has no column %q%s", asset, path, nearest.Question(nearest.Names(model.PlainPath(path), slices.Values(offered))))
}
