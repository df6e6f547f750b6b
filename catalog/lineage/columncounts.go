package lineage

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// ColumnCount is how many columns feed a column and derive from it, one hop away.
type ColumnCount struct {
	// Path is that of the schema or, of a column that only lineage names, that of its
	// URN.
	Path                   string
	Upstreams, Downstreams int
}

// ColumnCounts returns the columns of an entity, those of its schema first and in their
// order, with the number of columns one hop away. It fails with NotFound when nothing is
// known of the entity.
func (s *Service) ColumnCounts(ctx context.Context, u model.URN) ([]ColumnCount, error) {
	if u.EntityType() == model.EntitySchemaField {
		return nil, catalog.Errorf(catalog.Invalid, "%s is a column; name the entity that has it", u)
	}
	if err := s.requireKnown(ctx, u); err != nil {
		return nil, err
	}
	counts, place := []ColumnCount{}, map[string]int{}
	add := func(path string) {
		plain := model.PlainPath(path)
		if _, known := place[plain]; !known {
			place[plain] = len(counts)
			counts = append(counts, ColumnCount{Path: path})
		}
	}
	stored, err := s.store.LatestAspects(ctx, []string{u.String()}, []string{model.AspectSchemaMetadata})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	for _, schema := range stored[u.String()] {
		paths, err := catalog.FieldPathsOf(schema.Value)
		if err != nil {
			return nil, catalog.Errorf(catalog.Internal, "%s of %s: %w", model.AspectSchemaMetadata, u, err)
		}
		for _, path := range paths {
			add(path)
		}
	}
	inGraph, err := s.store.WithPrefix(ctx, columnPrefix(u.Namespace(), u.String()), maxColumns)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	neighbours, err := s.countNeighbours(ctx, inGraph, 0)
	if err != nil {
		return nil, err
	}
	for _, column := range slices.Sorted(slices.Values(inGraph)) {
		n := neighbours[column]
		if n == (neighbourCount{}) {
			continue
		}
		path := columnPath(column)
		add(path) // one that the schema does not have
		count := &counts[place[model.PlainPath(path)]]
		count.Upstreams += n.upstreams
		count.Downstreams += n.downstreams
	}
	return counts, nil
}
