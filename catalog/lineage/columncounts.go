package lineage

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/statements"
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
// order, with the number of columns one hop away, and whether there are more columns with
// lineage than are counted. It fails with NotFound when nothing is known of the entity.
func (s *Service) ColumnCounts(ctx context.Context, u model.URN) (counts []ColumnCount, partial bool, err error) {
	leave, err := s.enterWalk(ctx)
	if err != nil {
		return nil, false, err
	}
	defer leave()
	if u.EntityType() == model.EntitySchemaField {
		return nil, false, catalog.Errorf(catalog.Invalid, "%s is a column; name the entity that has it", u)
	}
	if err := s.requireKnown(ctx, u); err != nil {
		return nil, false, err
	}
	counts = []ColumnCount{}
	place := map[string]int{}
	add := func(path string) {
		plain := model.PlainPath(path)
		if _, known := place[plain]; !known {
			place[plain] = len(counts)
			counts = append(counts, ColumnCount{Path: path})
		}
	}
	stored, err := s.store.LatestAspects(ctx, []string{u.String()}, []string{model.AspectSchemaMetadata})
	if err != nil {
		return nil, false, catalog.StoreFailure(err)
	}
	for _, schema := range stored[u.String()] {
		paths, err := statements.FieldPathsOf(schema.Value)
		if err != nil {
			return nil, false, catalog.Errorf(catalog.Internal, "%s of %s: %w", model.AspectSchemaMetadata, u, err)
		}
		for _, path := range paths {
			add(path)
		}
	}
	inGraph, err := s.store.WithPrefix(ctx, columnPrefix(u.Namespace(), u.String()), maxColumns+1)
	if err != nil {
		return nil, false, catalog.StoreFailure(err)
	}
	if partial = len(inGraph) > maxColumns; partial {
		inGraph = inGraph[:maxColumns]
	}
	neighbours, err := s.countNeighbours(ctx, inGraph, 0)
	if err != nil {
		return nil, false, err
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
	return counts, partial, nil
}
