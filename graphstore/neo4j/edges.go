package neo4j

import (
	"context"
	"slices"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
)

// smallEdgeSet bounds the statements that are merged and sorted in this process. For entities
// with more statements (hubs), the database selects the page.
const smallEdgeSet = 2000

// Edges returns the edges of entities with one statement for all entities, and another
// statement for each hub.
func (s *Store) Edges(ctx context.Context, q graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error) {
	pages := make(map[string]graphstore.EdgePage, len(q.URNs))
	for _, urn := range q.URNs {
		pages[urn] = graphstore.EdgePage{Edges: []graphstore.Edge{}}
	}
	types := s.typesOf(q)
	if len(types) == 0 || len(q.URNs) == 0 {
		return pages, nil
	}
	name := "read/edges_out"
	if q.Direction == graphstore.Incoming {
		name = "read/edges_in"
	}
	params := map[string]any{"urns": q.URNs, "limit": smallEdgeSet + 1, "kinds": kindsOf(q)}
	if q.AsOf != 0 {
		name += "_as_of"
		params["asOf"], params["types"] = q.AsOf, types
	}
	statement, err := s.statements.WithTypes(name, types)
	if err != nil {
		return nil, err
	}
	found := make(map[string][]graphstore.Edge, len(q.URNs))
	_, err = query(ctx, s, s.lanes.reads, statement, params, func(r *driver.Record) (struct{}, error) {
		urn := text(r, "urn")
		found[urn] = append(found[urn], edgeOf(urn, q, text(r, "type"), text(r, "other"), properties(r, "statement")))
		return struct{}{}, nil
	})
	if err != nil {
		return nil, err
	}
	for urn, edges := range found {
		if len(edges) > smallEdgeSet {
			if pages[urn], err = s.hubEdges(ctx, urn, q, types); err != nil {
				return nil, err
			}
			continue
		}
		edges = graphstore.MergeEdges(edges, q.Direction)
		pages[urn] = graphstore.EdgePage{Edges: q.Cut(edges), Total: int64(len(edges))}
	}
	return pages, nil
}

// typesOf returns the relationships that a query asks for, among the relationships of the
// model.
func (s *Store) typesOf(q graphstore.EdgeQuery) []string {
	names := slices.Clone(q.Types)
	for _, kind := range q.Kinds {
		names = append(names, kind.Type)
	}
	if len(names) == 0 {
		return slices.Sorted(slices.Values(s.types))
	}
	var types []string
	for _, name := range names {
		if s.statements.Known(name) && !slices.Contains(types, name) {
			types = append(types, name)
		}
	}
	return slices.Sorted(slices.Values(types))
}

// kindsOf returns the kinds of edges that a query asks for, in the form in which statements
// compare them, "relationship near far"; nil for any.
func kindsOf(q graphstore.EdgeQuery) any {
	if len(q.Kinds) == 0 {
		return nil
	}
	kinds := make([]string, len(q.Kinds))
	for i, kind := range q.Kinds {
		step := graphstore.Step{EdgeKind: kind, Direction: q.Direction}
		kinds[i] = kind.Type + " " + step.NearType() + " " + step.FarType()
	}
	return kinds
}

func attributesOf(b bag) graphstore.EdgeAttributes {
	return graphstore.EdgeAttributes{
		CreatedOn: b.integer("createdOn"), CreatedActor: b.text("createdActor"),
		UpdatedOn: b.integer("updatedOn"), UpdatedActor: b.text("updatedActor"), Properties: b.raw("properties"), Via: b.text("via"),
	}
}

func edgeOf(urn string, q graphstore.EdgeQuery, edgeType, other string, statement map[string]any) graphstore.Edge {
	b := bag(statement)
	e := graphstore.Edge{
		Source: urn, Type: edgeType, Destination: other,
		Since: b.integer("since"), SinceRun: b.text("sinceRun"), SinceActor: b.text("sinceActor"),
		Resumed: b.integer("resumed"), ResumedActor: b.text("resumedActor"),
		Until: b.integer("until"), UntilRun: b.text("untilRun"), UntilActor: b.text("untilActor"), Owners: []string{b.text("owner")},
		EdgeAttributes: attributesOf(b),
	}
	if q.Direction == graphstore.Incoming {
		e.Source, e.Destination = other, urn
	}
	return e
}

// hubEdges lets the database select the page.
func (s *Store) hubEdges(ctx context.Context, urn string, q graphstore.EdgeQuery, types []string) (graphstore.EdgePage, error) {
	name := "read/hub_out"
	if q.Direction == graphstore.Incoming {
		name = "read/hub_in"
	}
	statement, err := s.statements.WithTypes(name, types)
	if err != nil {
		return graphstore.EdgePage{}, err
	}
	params := map[string]any{"urn": urn, "types": types, "kinds": kindsOf(q), "asOf": nil, "start": max(q.Start, 0), "count": max(q.Count, 0)}
	if q.AsOf != 0 {
		params["asOf"] = q.AsOf
	}
	var total int64
	pages, err := query(ctx, s, s.lanes.lists, statement, params, func(r *driver.Record) ([]graphstore.Edge, error) {
		total = integer(r, "total")
		value, _ := r.Get("page")
		items, _ := value.([]any)
		edges := make([]graphstore.Edge, 0, len(items))
		for _, item := range items {
			edges = append(edges, hubEdge(urn, q, item))
		}
		return edges, nil
	})
	if err != nil || len(pages) == 0 {
		return graphstore.EdgePage{Edges: []graphstore.Edge{}}, err
	}
	return graphstore.EdgePage{Edges: pages[0], Total: total}, nil
}

func hubEdge(urn string, q graphstore.EdgeQuery, item any) graphstore.Edge {
	m, _ := item.(map[string]any)
	b := bag(m)
	statements, _ := b["statements"].([]any)
	var edge graphstore.Edge
	for i, s := range statements {
		properties, _ := s.(map[string]any)
		next := edgeOf(urn, q, b.text("type"), b.text("other"), properties)
		if i == 0 {
			edge = next
		} else {
			edge = edge.Merge(next)
		}
	}
	return edge
}
