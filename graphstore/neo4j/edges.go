package neo4j

import (
	"context"
	"slices"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
)

// smallEdgeSet is how many statements are merged and sorted here; of hubs with
// more, the database makes the page.
const smallEdgeSet = 2000

// Edges returns the edges of one entity.
func (s *Store) Edges(ctx context.Context, q graphstore.EdgeQuery) ([]graphstore.Edge, int64, error) {
	types := s.types
	if len(q.Types) > 0 {
		types = nil
		for _, name := range q.Types {
			if s.statements.Known(name) && !slices.Contains(types, name) {
				types = append(types, name)
			}
		}
	}
	if len(types) == 0 {
		return []graphstore.Edge{}, 0, nil
	}
	types = slices.Sorted(slices.Values(types))
	name := "read/edges_out"
	if q.Direction == graphstore.Incoming {
		name = "read/edges_in"
	}
	params := map[string]any{"urn": q.URN, "limit": smallEdgeSet + 1}
	if q.AsOf != 0 {
		name += "_as_of"
		params["asOf"], params["types"] = q.AsOf, types
	}
	statement, err := s.statements.WithTypes(name, types)
	if err != nil {
		return nil, 0, err
	}
	edges, err := query(ctx, s, statement, params, func(r *driver.Record) (graphstore.Edge, error) {
		return edgeOf(q, text(r, "type"), text(r, "other"), properties(r, "statement")), nil
	})
	if err != nil {
		return nil, 0, err
	}
	if len(edges) > smallEdgeSet {
		return s.hubEdges(ctx, q, types)
	}
	edges = graphstore.MergeEdges(edges, q.Direction)
	start := min(max(q.Start, 0), len(edges))
	end := min(start+max(q.Count, 0), len(edges))
	return edges[start:end], int64(len(edges)), nil
}

func edgeOf(q graphstore.EdgeQuery, edgeType, other string, statement map[string]any) graphstore.Edge {
	b := bag(statement)
	e := graphstore.Edge{
		Source: q.URN, Type: edgeType, Destination: other,
		Since: b.integer("since"), Until: b.integer("until"),
		EdgeAttributes: graphstore.EdgeAttributes{
			CreatedOn: b.integer("createdOn"), CreatedActor: b.text("createdActor"),
			UpdatedOn: b.integer("updatedOn"), UpdatedActor: b.text("updatedActor"), Properties: b.raw("properties"),
		},
	}
	if q.Direction == graphstore.Incoming {
		e.Source, e.Destination = other, q.URN
	}
	return e
}

// hubEdges lets the database make the page.
func (s *Store) hubEdges(ctx context.Context, q graphstore.EdgeQuery, types []string) ([]graphstore.Edge, int64, error) {
	name := "read/hub_out"
	if q.Direction == graphstore.Incoming {
		name = "read/hub_in"
	}
	statement, err := s.statements.WithTypes(name, types)
	if err != nil {
		return nil, 0, err
	}
	params := map[string]any{"urn": q.URN, "types": types, "asOf": nil, "start": max(q.Start, 0), "count": max(q.Count, 0)}
	if q.AsOf != 0 {
		params["asOf"] = q.AsOf
	}
	var total int64
	pages, err := query(ctx, s, statement, params, func(r *driver.Record) ([]graphstore.Edge, error) {
		total = integer(r, "total")
		value, _ := r.Get("page")
		items, _ := value.([]any)
		edges := make([]graphstore.Edge, 0, len(items))
		for _, item := range items {
			edges = append(edges, hubEdge(q, item))
		}
		return edges, nil
	})
	if err != nil || len(pages) == 0 {
		return []graphstore.Edge{}, 0, err
	}
	return pages[0], total, nil
}

func hubEdge(q graphstore.EdgeQuery, item any) graphstore.Edge {
	m, _ := item.(map[string]any)
	b := bag(m)
	statements, _ := b["statements"].([]any)
	var edge graphstore.Edge
	for i, s := range statements {
		properties, _ := s.(map[string]any)
		next := edgeOf(q, b.text("type"), b.text("other"), properties)
		if i == 0 {
			edge = next
		} else {
			edge = edge.Merge(next)
		}
	}
	return edge
}
