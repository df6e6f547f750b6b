package lineage

import (
	"cmp"
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// GraphRequest asks for the graph around an entity or a column.
type GraphRequest struct {
	URN model.URN
	// Direction is UPSTREAM or DOWNSTREAM; empty means both.
	Direction string
	// Hops bounds the distance; 0 is unbounded.
	Hops int
	// Limit is how many nodes there are at most, up to limits.MaxGraphNodes.
	Limit int
	// Columns is as in [WalkQuery].
	Columns bool
	// AsOf asks for a past moment, epoch milliseconds; 0 is now.
	AsOf int64
	// With says what is read of the nodes.
	With Details
	// Basis asks for what the answer rests on.
	Basis bool
}

// Graph is what is around an entity or a column. Soft-deleted entities are part of it.
type Graph struct {
	// Nodes are ordered by distance and URN. The first ones, with degree 0, are the
	// start: the entity, or those of its columns that have lineage.
	Nodes []Node
	// Edges are those between the nodes, ordered by their ends.
	Edges []Link
	// Total counts what was reached, the start and what is beyond the limit included.
	Total int
	// Partial: something is missing, for the Reason.
	Partial bool
	Reason  string
	// Note is as in [Result].
	Note  string
	Basis *Basis
}

// Graph returns the nearest nodes around an entity or a column, and the edges between
// them. It fails with NotFound when nothing is known of the entity.
func (s *Service) Graph(ctx context.Context, r GraphRequest) (*Graph, error) {
	if r.Limit < 1 || r.Limit > limits.MaxGraphNodes {
		return nil, catalog.Errorf(catalog.Invalid, "the limit of a graph must be from 1 to %d nodes", limits.MaxGraphNodes)
	}
	ctx, leave, err := s.enterWalk(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	around, err := s.around(ctx, WalkQuery{URN: r.URN, Direction: r.Direction, MaxHops: r.Hops, Columns: r.Columns, AsOf: r.AsOf})
	if err != nil {
		return nil, err
	}
	starts, err := s.startsOf(ctx, around, r.AsOf)
	if err != nil {
		return nil, err
	}
	reached := slices.Concat(starts, around.reached)
	graph := &Graph{Total: len(reached), Partial: around.reason != "", Reason: around.reason}
	if len(reached) > r.Limit {
		reached = reached[:r.Limit]
		graph.partly("the graph has more nodes than asked for; these are the nearest")
	}
	if graph.Note, err = s.noteOfPast(ctx, r.URN, r.AsOf); err != nil {
		return nil, err
	}
	if r.Basis {
		if graph.Basis, err = s.basisOfGraph(ctx, around); err != nil {
			return nil, err
		}
	}
	near, err := s.neighbourhood(ctx, reached, r.AsOf)
	if err != nil {
		return nil, err
	}
	if near.cut {
		graph.partly("some nodes have more edges than are read; some of these are missing")
	}
	graph.takeEdges(near.sorted())
	if graph.Nodes, err = s.nodes(ctx, reached, r.AsOf, r.With); err != nil {
		return nil, err
	}
	for i := range graph.Nodes {
		n := &graph.Nodes[i]
		n.Upstreams, n.Downstreams = near.upstreams[n.URN], near.downstreams[n.URN]
	}
	return graph, nil
}

// takeEdges gives the graph the first of some edges, as many as an answer may have.
func (g *Graph) takeEdges(edges []Link) {
	if len(edges) > limits.MaxGraphEdges {
		edges = edges[:limits.MaxGraphEdges]
		g.partly("the graph has more edges than an answer may have; ask for fewer nodes")
	}
	g.Edges = edges
}

// partly says why something is missing; the first reason counts.
func (g *Graph) partly(reason string) {
	g.Partial, g.Reason = true, cmp.Or(g.Reason, reason)
}

// surroundings are what walks from one start reached in one direction or in both.
type surroundings struct {
	walks []*Walk
	// reached has each entity once, ordered by distance and URN. Upstream of the
	// start its degree is negative.
	reached []Reached
	// reason is why a walk was cut.
	reason string
}

// around walks in the direction of a query, or in both if it has none. It fails with
// NotFound when nothing is known of the start.
func (s *Service) around(ctx context.Context, q WalkQuery) (*surroundings, error) {
	directions := []string{q.Direction}
	if q.Direction == "" {
		directions = []string{Upstream, Downstream}
	}
	found, at := &surroundings{}, map[string]int{}
	for _, direction := range directions {
		q.Direction = direction
		walk, err := s.Walk(ctx, q)
		if err != nil {
			return nil, err
		}
		found.walks, found.reason = append(found.walks, walk), cmp.Or(found.reason, walk.Reason())
		for _, r := range walk.Reached {
			if walk.degrees[r.URN] == 0 {
				continue // a cycle leads to the start
			}
			if q.Direction == Upstream {
				r.Degree = -r.Degree
			}
			if i, known := at[r.URN]; !known {
				at[r.URN] = len(found.reached)
				found.reached = append(found.reached, r)
			} else if far(r.Degree) < far(found.reached[i].Degree) {
				found.reached[i] = r
			}
		}
	}
	if len(found.reached) == 0 {
		if err := s.requireKnown(ctx, q.URN); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found.reached, nearestFirst)
	return found, nil
}

func nearestFirst(a, b Reached) int {
	return cmp.Or(cmp.Compare(far(a.Degree), far(b.Degree)), cmp.Compare(a.URN, b.URN))
}

// far is a distance regardless of the direction.
func far(degree int) int { return max(degree, -degree) }

// startsOf returns the start of walks: the entity or, of several columns, those that
// have lineage.
func (s *Service) startsOf(ctx context.Context, around *surroundings, asOf int64) ([]Reached, error) {
	var urns []string
	for _, walk := range around.walks {
		urns = append(urns, walk.Starts...)
	}
	slices.Sort(urns)
	urns = slices.Compact(urns)
	if q := &around.walks[0].Query; q.Columns && q.URN.EntityType() != model.EntitySchemaField {
		counts, err := s.countNeighbours(ctx, urns, asOf)
		if err != nil {
			return nil, err
		}
		urns = slices.DeleteFunc(urns, func(urn string) bool { return counts[urn] == neighbourCount{} })
	}
	nodes, err := s.lookUpReached(ctx, urns, 0, false)
	if err != nil {
		return nil, err
	}
	known := make(map[string]Reached, len(nodes))
	for _, node := range nodes {
		known[node.URN] = node
	}
	starts := make([]Reached, len(urns))
	for i, urn := range urns {
		if r, ok := known[urn]; ok {
			starts[i] = r
		} else {
			starts[i] = Reached{URN: urn, Type: model.StoredURN(urn).EntityType()}
		}
	}
	return starts, nil
}

// neighbourCount is how many edges lead to an entity and from it.
type neighbourCount struct{ upstreams, downstreams int }

// countNeighbours counts edges without reading them.
func (s *Service) countNeighbours(ctx context.Context, urns []string, asOf int64) (map[string]neighbourCount, error) {
	counts := make(map[string]neighbourCount, len(urns))
	for some := range slices.Chunk(urns, catalog.MaxPage) {
		for _, direction := range []string{Upstream, Downstream} {
			hop := s.hopOf(direction, &WalkQuery{AsOf: asOf})
			hop.query.Count = 0
			if err := hop.readEdges(ctx, some); err != nil {
				return nil, err
			}
			for _, urn := range some {
				count := counts[urn]
				if direction == Upstream {
					count.upstreams = hop.totals[urn]
				} else {
					count.downstreams = hop.totals[urn]
				}
				counts[urn] = count
			}
		}
	}
	return counts, nil
}

// neighbourhood is what is known of the edges of a graph's nodes.
type neighbourhood struct {
	// edges are those between the nodes.
	edges map[[3]string]*Link
	// upstreams and downstreams count the entities one hop away. Of a node with many
	// edges they count the edges.
	upstreams, downstreams map[string]int
	// cut: some edges were not read.
	cut bool
}

// These bound what is read of a neighbourhood at once: nodes, and edges of each in
// each direction. An edge is found from either of its ends.
const (
	nearNodes = 500
	nearEdges = 100
	// nearHubs is how many nodes are read again, one by one, because both ends of an
	// edge may have more edges than that.
	nearHubs = 100
)

// neighbourhood reads the edges between nodes, and counts the neighbours of each, in a
// number of store calls that depends only on how many hundreds they are.
func (s *Service) neighbourhood(ctx context.Context, nodes []Reached, asOf int64) (*neighbourhood, error) {
	urns := make([]string, len(nodes))
	within := make(map[string]bool, len(nodes))
	for i, node := range nodes {
		urns[i], within[node.URN] = node.URN, true
	}
	near := &neighbourhood{edges: map[[3]string]*Link{}, upstreams: make(map[string]int, len(urns)), downstreams: make(map[string]int, len(urns))}
	many, err := s.fewEdgesOf(ctx, near, urns, asOf, within)
	if err != nil {
		return nil, err
	}
	fed, err := s.nearEdgesOf(ctx, near, many, Upstream, asOf, within)
	if err != nil {
		return nil, err
	}
	feeding, err := s.nearEdgesOf(ctx, near, many, Downstream, asOf, within)
	if err != nil {
		return nil, err
	}
	// What is missing are edges that lead from one of feeding to one of fed.
	if len(fed) == 0 || len(feeding) == 0 {
		return near, nil
	}
	hubs, direction := fed, Upstream
	if len(feeding) < len(fed) {
		hubs, direction = feeding, Downstream
	}
	if len(hubs) > nearHubs {
		hubs, near.cut = hubs[:nearHubs], true
	}
	for _, urn := range hubs {
		hop := s.hopOf(direction, &WalkQuery{AsOf: asOf})
		if err := hop.readEdges(ctx, []string{urn}); err != nil {
			return nil, err
		}
		near.add(hop, urn, direction, within)
		near.cut = near.cut || hop.truncated()
	}
	return near, nil
}

// fewEdgesOf reads the edges of both directions at once of the nodes that have few, and
// returns the others.
func (s *Service) fewEdgesOf(ctx context.Context, near *neighbourhood, urns []string, asOf int64, within map[string]bool) (many []string, err error) {
	kinds := make([]graphstore.EdgeKind, 0, len(s.registry.LineageKinds())+1)
	leadsUp := map[graphstore.EdgeKind]bool{}
	for _, kind := range append(s.registry.LineageKinds(), model.ColumnLineage()) {
		kinds = append(kinds, graphKind(kind.EdgeKind))
		leadsUp[graphKind(kind.EdgeKind)] = kind.Upstream
	}
	for some := range slices.Chunk(urns, nearNodes) {
		ends, more := map[string]*[2]map[string]bool{}, map[string]bool{}
		for _, urn := range some {
			ends[urn] = &[2]map[string]bool{{}, {}}
		}
		for _, d := range []graphstore.Direction{graphstore.Outgoing, graphstore.Incoming} {
			query := graphstore.EdgeQuery{Direction: d, Kinds: kinds, AsOf: asOf, Page: graphstore.Page{Count: nearEdges}}
			for _, urn := range some {
				if !more[urn] && len(query.KindsOf(urn)) > 0 {
					query.URNs = append(query.URNs, urn)
				}
			}
			found, err := s.store.Edges(ctx, query)
			if err != nil {
				return nil, catalog.StoreFailure(err)
			}
			for urn, page := range found {
				if page.Total > int64(len(page.Edges)) {
					more[urn] = true
					continue
				}
				for i := range page.Edges {
					r := relationshipOf(&page.Edges[i], d)
					kind := graphstore.EdgeKind{Type: r.Type, SourceType: typeOf(r.edge.Source), DestinationType: typeOf(r.edge.Destination)}
					direction, side := Downstream, 1
					if leadsUp[kind] == (d == graphstore.Outgoing) {
						direction, side = Upstream, 0
					}
					ends[urn][side][r.Entity] = true
					near.addLink(urn, &r, direction, within)
				}
			}
		}
		for _, urn := range some {
			if more[urn] {
				many = append(many, urn)
				continue
			}
			near.upstreams[urn], near.downstreams[urn] = len(ends[urn][0]), len(ends[urn][1])
		}
	}
	return many, nil
}

// typeOf is the type of an entity that the store returned.
func typeOf(urn string) string { return model.StoredURN(urn).EntityType() }

// nearEdgesOf reads some edges of each node in one direction, and counts its neighbours.
// It returns the nodes that have more edges than were read.
func (s *Service) nearEdgesOf(ctx context.Context, near *neighbourhood, urns []string, direction string, asOf int64, within map[string]bool) (more []string, err error) {
	counts := near.upstreams
	if direction == Downstream {
		counts = near.downstreams
	}
	for some := range slices.Chunk(urns, nearNodes) {
		hop := s.hopOf(direction, &WalkQuery{AsOf: asOf})
		hop.most = nearEdges
		if err := hop.readEdges(ctx, some); err != nil {
			return nil, err
		}
		for _, urn := range some {
			near.add(hop, urn, direction, within)
			ends := make(map[string]bool, len(hop.edges[urn]))
			for i := range hop.edges[urn] {
				ends[hop.edges[urn][i].Entity] = true
			}
			if counts[urn] = len(ends); hop.totals[urn] > len(hop.edges[urn]) {
				counts[urn] = hop.totals[urn]
				more = append(more, urn)
			}
		}
	}
	return more, nil
}

// add adds the edges of a node that lead to other nodes.
func (n *neighbourhood) add(hop *lineageHop, urn, direction string, within map[string]bool) {
	for i := range hop.edges[urn] {
		n.addLink(urn, &hop.edges[urn][i], direction, within)
	}
}

func (n *neighbourhood) addLink(urn string, r *Relationship, direction string, within map[string]bool) {
	if within[r.Entity] {
		link := lineageLink(urn, r, direction)
		n.edges[linkKey(&link)] = &link
	}
}

// sorted returns the edges, ordered by their ends.
func (n *neighbourhood) sorted() []Link {
	edges := make([]Link, 0, len(n.edges))
	for _, e := range n.edges {
		edges = append(edges, *e)
	}
	slices.SortFunc(edges, func(a, b Link) int {
		return cmp.Or(cmp.Compare(a.Upstream, b.Upstream), cmp.Compare(a.Downstream, b.Downstream), cmp.Compare(a.Type, b.Type))
	})
	return edges
}
