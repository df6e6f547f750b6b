package visible

import (
	"cmp"
	"context"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
)

// hop reads the edges of a hop of a walk. A hidden end of an edge is a restricted step, and the walk may
// continue from it. The walk learns only the type of such an edge, its times, and whether a person drew it:
// these decide whether the walk follows the edge.
func (s *Store) hop(ctx context.Context, view *sight, q graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error) {
	asked, page := q.URNs, q.Page
	stored, known, err := view.steps(ctx, asked)
	if err != nil {
		return nil, err
	}
	if len(q.Kinds) > 0 {
		stored = slices.DeleteFunc(stored, func(urn string) bool { return len(q.KindsOf(urn)) == 0 })
	}
	q.URNs = stored
	all, err := s.allEdges(ctx, q)
	if err != nil {
		return nil, err
	}
	n := view.maybeHidden()
	for _, edges := range all {
		for i := range edges {
			n.add(edges[i].OtherEnd(q.Direction))
			n.addEdge(&edges[i])
		}
	}
	hidden, err := view.hiddenOf(ctx, &n)
	if err != nil {
		return nil, err
	}
	removed, err := s.removedOf(ctx, &q, all, hidden)
	if err != nil {
		return nil, err
	}
	pages := make(map[string]graphstore.EdgePage, len(asked))
	for _, urn := range asked {
		pages[urn] = graphstore.EdgePage{Edges: []graphstore.Edge{}}
	}
	for urn, edges := range all {
		shown := make([]graphstore.Edge, 0, len(edges))
		for _, e := range edges {
			end := e.OtherEnd(q.Direction)
			if removed[end] {
				continue
			}
			near, far := known[urn], end
			if hidden[end] {
				far = view.restrict(end)
			}
			if near == urn && far == end {
				cleanEdge(&e, hidden)
			} else {
				e = restrictedEdge(&e, near, far, q.Direction)
			}
			shown = append(shown, e)
		}
		slices.SortStableFunc(shown, func(a, b graphstore.Edge) int {
			return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.OtherEnd(q.Direction), b.OtherEnd(q.Direction)))
		})
		pages[known[urn]] = graphstore.EdgePage{Edges: append([]graphstore.Edge{}, page.Cut(shown)...), Total: int64(len(shown))}
	}
	return pages, nil
}

// restrictedEdge is the part of an edge with a restricted end that a walk may know.
func restrictedEdge(e *graphstore.Edge, near, far string, d graphstore.Direction) graphstore.Edge {
	left := graphstore.Edge{Source: near, Destination: far, Type: e.Type, Owners: []string{}}
	if d == graphstore.Incoming {
		left.Source, left.Destination = far, near
	}
	left.CreatedOn, left.UpdatedOn, left.Properties = e.CreatedOn, e.UpdatedOn, e.Properties
	return left
}

// removedOf returns the hidden ends of edges that are soft-deleted, if the walk does not follow soft-deleted
// entities.
func (s *Store) removedOf(ctx context.Context, q *graphstore.EdgeQuery, all map[string][]graphstore.Edge, hidden map[string]bool) (map[string]bool, error) {
	if !q.WithoutRemoved {
		return nil, nil
	}
	var ends named
	for _, edges := range all {
		for i := range edges {
			if end := edges[i].OtherEnd(q.Direction); hidden[end] {
				ends.add(end)
			}
		}
	}
	if len(ends.urns) == 0 {
		return nil, nil
	}
	nodes, err := s.Store.Entities(ctx, ends.urns)
	if err != nil {
		return nil, err
	}
	removed := map[string]bool{}
	for i := range nodes {
		removed[nodes[i].URN] = nodes[i].Removed
	}
	return removed, nil
}
