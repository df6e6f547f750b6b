package lineage

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// ScrollQuery asks for edges of lineage, page by page.
type ScrollQuery struct {
	// URNs are entities at one end of the edges. An empty list asks for all edges of lineage.
	URNs []model.URN
	// Direction is UPSTREAM or DOWNSTREAM, seen from the URNs; empty means both.
	Direction string
	// Types lists relationships; an empty list means all relationships of lineage.
	Types []string
	// Removed tells that edges of soft-deleted entities count too.
	Removed bool
	Count   int
	After   read.EdgePlace
}

// ScrolledEdge is an edge of lineage, with the ends between which data flows.
type ScrolledEdge struct {
	graphstore.Edge
	Upstream, Downstream string
}

// Scroll returns a page of edges of lineage and the place of the next page. The place is nil
// after the last page.
func (s *Service) Scroll(ctx context.Context, q ScrollQuery) ([]ScrolledEdge, *read.EdgePlace, error) {
	if q.Direction != "" && q.Direction != Upstream && q.Direction != Downstream {
		return nil, nil, catalog.Errorf(catalog.Invalid, "direction must be UPSTREAM or DOWNSTREAM, not %q", q.Direction)
	}
	if err := catalog.TooMany("entities", len(q.URNs), limits.MaxIDs); err != nil {
		return nil, nil, err
	}
	if err := catalog.CheckLists("relationship types", q.Types); err != nil {
		return nil, nil, err
	}
	if _, err := catalog.PageOf(0, q.Count); err != nil {
		return nil, nil, err
	}
	scan := &read.EdgeScan{Removed: q.Removed, Count: q.Count, After: q.After}
	if len(q.URNs) == 0 {
		scan.Looks = []read.EdgeLook{{Direction: graphstore.Outgoing, Kinds: s.scrolled(&q, graphstore.Outgoing, true)}}
	} else {
		scan.Seeds = slices.Compact(slices.Sorted(slices.Values(catalog.Texts(q.URNs))))
		// With both directions, an edge between two of the entities is found from both ends: the look
		// from the destination leaves it out.
		seenFromSource := func(e *graphstore.Edge) bool {
			_, found := slices.BinarySearch(scan.Seeds, e.Source)
			return q.Direction != "" || !found
		}
		scan.Looks = []read.EdgeLook{
			{Direction: graphstore.Outgoing, Kinds: s.scrolled(&q, graphstore.Outgoing, q.Direction == "")},
			{Direction: graphstore.Incoming, Kinds: s.scrolled(&q, graphstore.Incoming, q.Direction == ""), Keep: seenFromSource},
		}
	}
	page, err := s.edges.ScanEdges(ctx, scan)
	if err != nil {
		return nil, nil, err
	}
	edges := make([]ScrolledEdge, len(page.Edges))
	for i, e := range page.Edges {
		edges[i] = ScrolledEdge{Edge: e, Upstream: e.Source, Downstream: e.Destination}
		if _, upstream := s.registry.IsLineage(e.Type, model.StoredURN(e.Source).EntityType(), model.StoredURN(e.Destination).EntityType()); upstream {
			edges[i].Upstream, edges[i].Downstream = e.Destination, e.Source
		}
	}
	return edges, page.Next, nil
}

// scrolled returns the kinds of edges that a scroll looks for on one side of an entity: all
// kinds of lineage, or only the kinds that lead in the direction of the query.
func (s *Service) scrolled(q *ScrollQuery, d graphstore.Direction, all bool) []graphstore.EdgeKind {
	kinds := []graphstore.EdgeKind{}
	for _, kind := range append(s.registry.LineageKinds(), model.ColumnLineage()) {
		leadsUp := kind.Upstream == (d == graphstore.Outgoing)
		if (all || leadsUp == (q.Direction == Upstream)) && (len(q.Types) == 0 || slices.Contains(q.Types, kind.Relationship)) {
			kinds = append(kinds, graphKind(kind.EdgeKind))
		}
	}
	return kinds
}
