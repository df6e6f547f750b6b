package neo4j

import (
	"context"
	"slices"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
)

// EdgesToParts finds the entities that state edges to parts of entities.
func (s *Store) EdgesToParts(ctx context.Context, q graphstore.PartQuery) (found graphstore.PartEdges, err error) {
	types := slices.DeleteFunc(slices.Clone(q.Types), func(name string) bool { return !s.statements.Known(name) })
	if len(types) == 0 || len(q.Prefixes) == 0 || q.Limit <= 0 {
		return found, nil
	}
	name, params := "read/parts_in", map[string]any{"prefixes": q.Prefixes, "sourcesOf": append([]string{}, q.SourcesOf...), "limit": q.Limit + 1}
	if q.AsOf != 0 {
		name += "_as_of"
		params["asOf"], params["types"] = q.AsOf, types
	}
	statement, err := s.statements.WithTypes(name, types)
	if err != nil {
		return found, err
	}
	found.Edges, err = query(ctx, s, s.lanes.walks, statement, params, func(r *driver.Record) (graphstore.PartEdge, error) {
		return graphstore.PartEdge{Prefix: int(integer(r, "place")), Owner: text(r, "owner"), Source: text(r, "source")}, nil
	})
	if len(found.Edges) > q.Limit {
		found.Edges, found.Cut = found.Edges[:q.Limit], true
	}
	return found, err
}
