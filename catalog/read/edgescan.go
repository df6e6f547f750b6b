package read

import (
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// EdgeScan asks for the edges of many nodes, or of the whole graph, page by page. Edges are
// ordered by the URN of the node at which the scan finds them.
type EdgeScan struct {
	// Seeds are the nodes whose edges are scanned. If Seeds is nil, the scan includes all nodes
	// whose URN has one of the Prefixes; without Prefixes, all nodes.
	Seeds, Prefixes []string
	// Looks select the edges of each node, in this order.
	Looks []EdgeLook
	// Keep, if set, selects edges.
	Keep func(*graphstore.Edge) bool
	// Removed tells that edges of soft-deleted entities count too.
	Removed bool
	// Count is the size of a page.
	Count int
	// After is the place at which the page begins, the zero place for the first page.
	After EdgePlace
}

// EdgeLook selects edges of a node in one direction: all edges, or only the edges of the types
// or of the kinds. Keep, if set, selects among these edges.
type EdgeLook struct {
	Direction graphstore.Direction
	Types     []string
	Kinds     []graphstore.EdgeKind
	Keep      func(*graphstore.Edge) bool
}

// EdgePlace is a place in a scan. If Look and Skip are 0, the place is behind the node.
// Otherwise the place is within the node, behind the first Skip edges of the look. Edges of the
// node that are written or deleted meanwhile shift such a place.
type EdgePlace struct {
	URN  string `json:"u"`
	Look int    `json:"l,omitempty"`
	Skip int    `json:"s,omitempty"`
}

// within reports whether a place is within a node.
func (p EdgePlace) within() bool { return p.Look > 0 || p.Skip > 0 }

// EdgePage is a page of a scan. Next is nil after the last page. Any page may have fewer edges
// than requested, or none.
type EdgePage struct {
	Edges []graphstore.Edge
	Next  *EdgePlace
}

// nodesAtOnce is the number of nodes whose edges are read at once.
const nodesAtOnce = 100

// edgeScan is the state of a scan.
type edgeScan struct {
	*EdgeScan
	reader  *Reader
	place   EdgePlace
	page    EdgePage
	scanned int
}

// ScanEdges returns a page of edges.
func (rd *Reader) ScanEdges(ctx context.Context, q *EdgeScan) (*EdgePage, error) {
	if q.Count < 1 {
		return nil, catalog.Errorf(catalog.Invalid, "a page of edges has at least one")
	}
	if q.After.Look < 0 || q.After.Look >= len(q.Looks) || q.After.Skip < 0 {
		return nil, catalog.Errorf(catalog.Invalid, "the place to continue is not one of this scan")
	}
	s := &edgeScan{EdgeScan: q, reader: rd, place: q.After}
	s.Count = min(q.Count, catalog.MaxPage)
	slices.Sort(s.Seeds)
	slices.Sort(s.Prefixes)
	for len(s.page.Edges) < s.Count {
		nodes, last, err := s.nodes(ctx)
		if err != nil {
			return nil, err
		}
		if len(nodes) > 0 {
			if err := s.look(ctx, nodes); err != nil {
				return nil, err
			}
		}
		if last && !s.place.within() && (len(nodes) == 0 || s.place.URN == nodes[len(nodes)-1]) {
			return &s.page, nil
		}
		if s.scanned += len(nodes); s.scanned >= limits.MaxScannedNodes {
			break
		}
	}
	next := s.place
	s.page.Next = &next
	return &s.page, nil
}

// nodes returns the next nodes to scan, and whether they are the last.
func (s *edgeScan) nodes(ctx context.Context) (nodes []string, last bool, err error) {
	if s.place.within() {
		return []string{s.place.URN}, false, nil
	}
	if s.Seeds != nil {
		at, found := slices.BinarySearch(s.Seeds, s.place.URN)
		if found {
			at++
		}
		end := min(at+nodesAtOnce, len(s.Seeds))
		return s.Seeds[at:end], end == len(s.Seeds), nil
	}
	if len(s.Prefixes) == 0 {
		nodes, err = s.reader.store.ScanNodes(ctx, s.place.URN, nodesAtOnce)
		return nodes, len(nodes) < nodesAtOnce, catalog.StoreFailure(err)
	}
	for i, prefix := range s.Prefixes {
		if s.place.URN > prefix && !strings.HasPrefix(s.place.URN, prefix) {
			continue // the scan has passed this prefix
		}
		found, err := s.reader.store.ScanNodes(ctx, max(s.place.URN, prefix), nodesAtOnce)
		if err != nil {
			return nil, false, catalog.StoreFailure(err)
		}
		end := slices.IndexFunc(found, func(urn string) bool { return !strings.HasPrefix(urn, prefix) })
		if end < 0 {
			end = len(found)
		}
		if end > 0 {
			return found[:end], end < nodesAtOnce && i == len(s.Prefixes)-1, nil
		}
	}
	return nil, true, nil
}

// look adds edges of nodes until the page is full, and moves the place behind the scanned
// edges.
func (s *edgeScan) look(ctx context.Context, nodes []string) error {
	first := s.place
	if !first.within() {
		first = EdgePlace{}
	}
	wanted := s.Count - len(s.page.Edges)
	found := make([]map[string]graphstore.EdgePage, len(s.Looks))
	for l := first.Look; l < len(s.Looks); l++ {
		query := graphstore.EdgeQuery{
			URNs: nodes, Direction: s.Looks[l].Direction, Types: s.Looks[l].Types, Kinds: s.Looks[l].Kinds, Page: graphstore.Page{Count: wanted},
		}
		if l == first.Look {
			query.Start = first.Skip
		}
		if query.Kinds != nil {
			query.URNs = slices.DeleteFunc(slices.Clone(nodes), func(urn string) bool { return len(query.KindsOf(urn)) == 0 })
		}
		if len(query.URNs) == 0 {
			continue
		}
		var err error
		if found[l], err = s.reader.store.Edges(ctx, query); err != nil {
			return catalog.StoreFailure(err)
		}
	}
	return s.take(ctx, nodes, found, first, wanted)
}

// take adds edges in the order of nodes and looks, until there are as many as wanted, or until
// a node has more edges than were read.
func (s *edgeScan) take(ctx context.Context, nodes []string, found []map[string]graphstore.EdgePage, first EdgePlace, wanted int) error {
	var edges []graphstore.Edge
	for _, urn := range nodes {
		if len(edges) == wanted {
			break
		}
		for l := first.Look; l < len(s.Looks); l++ {
			page, skip := found[l][urn], 0
			if l == first.Look {
				skip = first.Skip
			}
			for i := range page.Edges {
				if len(edges) == wanted {
					s.place = EdgePlace{urn, l, skip + i}
					return s.addToPage(ctx, edges)
				}
				e := &page.Edges[i]
				if (s.Keep == nil || s.Keep(e)) && (s.Looks[l].Keep == nil || s.Looks[l].Keep(e)) {
					edges = append(edges, *e)
				}
			}
			if skip+len(page.Edges) < int(page.Total) { // the node has more edges than were read
				s.place = EdgePlace{urn, l, skip + len(page.Edges)}
				return s.addToPage(ctx, edges)
			}
		}
		s.place, first = EdgePlace{URN: urn}, EdgePlace{}
	}
	return s.addToPage(ctx, edges)
}

// addToPage adds edges to the page, without those of soft-deleted entities.
func (s *edgeScan) addToPage(ctx context.Context, edges []graphstore.Edge) error {
	if !s.Removed && len(edges) > 0 {
		var ends []string
		for i := range edges {
			ends = append(ends, edges[i].Source, edges[i].Destination)
		}
		slices.Sort(ends)
		nodes, err := s.reader.store.Entities(ctx, slices.Compact(ends))
		if err != nil {
			return catalog.StoreFailure(err)
		}
		removed := map[string]bool{}
		for i := range nodes {
			removed[nodes[i].URN] = nodes[i].Removed
		}
		edges = slices.DeleteFunc(edges, func(e graphstore.Edge) bool { return removed[e.Source] || removed[e.Destination] })
	}
	s.page.Edges = append(s.page.Edges, edges...)
	return nil
}
