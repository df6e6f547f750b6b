package lineage

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/model"
)

// ColumnCount is the number of columns one hop upstream and one hop downstream of a column.
type ColumnCount struct {
	// Path is the path in the schema. For a column that only lineage names, it is the path in the
	// URN.
	Path                   string
	Upstreams, Downstreams int
}

// ColumnCounts returns the columns that an entity had at a moment, epoch milliseconds, each with
// the number of columns one hop away; a moment of 0 is now. Columns of the schema are first, in
// its order. Partial says which columns are missing, "" if none are. ColumnCounts fails with
// NotFound when nothing is known of the entity.
func (s *Service) ColumnCounts(ctx context.Context, u model.URN, asOf int64) (counts []ColumnCount, partial string, err error) {
	leave, err := s.enterWalk(ctx)
	if err != nil {
		return nil, "", err
	}
	defer leave()
	if u.EntityType() == model.EntitySchemaField {
		return nil, "", catalog.Errorf(catalog.Invalid, "%s is a column; name the entity that has it", u)
	}
	if err := s.requireKnown(ctx, u); err != nil {
		return nil, "", err
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
	if asOf < 0 {
		return nil, "", catalog.Errorf(catalog.Invalid, "moments are epoch milliseconds")
	}
	stored, unknown, err := s.aspectsAsOf(asOf).read(ctx, []string{u.String()}, []string{model.AspectSchemaMetadata})
	if err != nil {
		return nil, "", err
	}
	partial = unknown[u.String()]
	for _, schema := range stored[u.String()] {
		paths, err := statements.FieldPathsOf(schema.Value)
		if err != nil {
			return nil, "", catalog.Errorf(catalog.Internal, "%s of %s: %w", model.AspectSchemaMetadata, u, err)
		}
		for _, path := range paths {
			add(path)
		}
	}
	inGraph, cut, err := s.columnsWithLineage(ctx, u.Namespace(), u.String())
	if err != nil {
		return nil, "", err
	}
	if cut {
		partial = "it has more columns with lineage than are counted"
	}
	neighbours, err := s.countNeighbours(ctx, inGraph, asOf)
	if err != nil {
		return nil, "", err
	}
	for _, column := range slices.Sorted(slices.Values(inGraph)) {
		n := neighbours[column]
		if n == (neighbourCount{}) {
			continue
		}
		path := columnPath(column)
		add(path) // the schema does not have the column
		count := &counts[place[model.PlainPath(path)]]
		count.Upstreams += n.upstreams
		count.Downstreams += n.downstreams
	}
	return counts, partial, nil
}
