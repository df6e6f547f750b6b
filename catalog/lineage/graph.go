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
	// Limit bounds the number of nodes. Limit is at most limits.MaxGraphNodes.
	Limit int
	// Columns is as in [WalkQuery].
	Columns bool
	// AsOf asks for a past moment, epoch milliseconds; 0 is now.
	AsOf int64
	// With selects the details that are read of the nodes.
	With Details
	// Basis asks for the basis of the answer, Fading for the edges that fade, of a graph as of now.
	Basis, Fading bool
}

// Graph is the surroundings of an entity or a column. Graph includes soft-deleted entities.
type Graph struct {
	// Nodes are ordered by distance and URN. The first nodes have degree 0 and are the start: the
	// entity, or its columns that have lineage.
	Nodes []Node
	// Edges are the edges between the nodes, ordered by their ends.
	Edges []Link
	// Total counts all nodes, including the start and the nodes beyond the limit.
	Total int
	// Partial tells that the graph is incomplete; Reason says why.
	Partial bool
	Reason  string
	// Note is as in [Result].
	Note  string
	Basis *Basis
}

// Graph returns the nearest nodes around an entity or a column, and the edges between them.
// Graph fails with NotFound when nothing is known of the entity.
func (s *Service) Graph(ctx context.Context, r GraphRequest) (*Graph, error) {
	if r.Limit < 1 || r.Limit > limits.MaxGraphNodes {
		return nil, catalog.Errorf(catalog.Invalid, "the limit of a graph must be from 1 to %d nodes", limits.MaxGraphNodes)
	}
	leave, err := s.enterWalk(ctx)
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
	if err := s.restrictedEdges(ctx, near, around, reached); err != nil {
		return nil, err
	}
	if near.cut {
		graph.partly("some nodes have more edges than are read; some of these are missing")
	}
	graph.takeEdges(near.sorted())
	if err := s.addReadings(ctx, pointers(graph.Edges), r.AsOf); err != nil {
		return nil, err
	}
	if r.Fading {
		if err := s.fadeNow(ctx, pointers(graph.Edges), r.AsOf); err != nil {
			return nil, err
		}
	}
	if graph.Nodes, err = s.nodes(ctx, nodesRead{}, reached, r.AsOf, r.With); err != nil {
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

// partly marks the graph as partial. The first reason is kept.
func (g *Graph) partly(reason string) {
	g.Partial, g.Reason = true, cmp.Or(g.Reason, reason)
}

// surroundings are the results of walks from one start, in one direction or in both.
type surroundings struct {
	walks []*Walk
	// reached lists each entity once, ordered by distance and URN. The degree of an entity
	// upstream of the start is negative.
	reached []Reached
	// reason says why a walk was cut; "" if none was.
	reason string
}

// around walks in the direction of a query, or in both if the query names none. around fails
// with NotFound when nothing is known of the start.
func (s *Service) around(ctx context.Context, q WalkQuery) (*surroundings, error) {
	directions := []string{q.Direction}
	if q.Direction == "" {
		directions = []string{Upstream, Downstream}
	}
	found, at := &surroundings{}, map[string]int{}
	for _, direction := range directions {
		q.Direction = direction
		walk, err := s.walk(ctx, q)
		if err != nil {
			return nil, err
		}
		found.walks, found.reason = append(found.walks, walk), cmp.Or(found.reason, walk.Reason())
		for _, r := range walk.Reached {
			if walk.degrees[r.URN] == 0 {
				continue // a cycle leads back to the start
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

// far returns a distance without its sign.
func far(degree int) int { return max(degree, -degree) }

// startsOf returns the start of walks: the entity or, if the walks began at several columns,
// those columns that have lineage.
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

// restrictedEdges adds the edges from and to restricted steps, which are known only from the walks.
func (s *Service) restrictedEdges(ctx context.Context, near *neighbourhood, around *surroundings, reached []Reached) error {
	if !slices.ContainsFunc(reached, func(r Reached) bool { return r.Type == catalog.Restricted }) {
		return nil
	}
	urns := make([]string, len(reached))
	for i, r := range reached {
		urns[i] = r.URN
	}
	for _, walk := range around.walks {
		links, err := s.linksWithin(ctx, walk, distinct(urns), urns)
		if err != nil {
			return err
		}
		for i := range links {
			if link := &links[i]; link.Type == catalog.Restricted {
				near.edges[linkKey(link)] = link
			}
		}
	}
	return nil
}

// neighbourCount is the number of edges that lead to an entity, and the number of edges that
// lead away from it.
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

// neighbourhood has the edges and neighbours of a graph's nodes.
type neighbourhood struct {
	// edges are the edges between the nodes.
	edges map[[3]string]*Link
	// upstreams and downstreams count the entities one hop away. For a node with many edges they
	// count its edges.
	upstreams, downstreams map[string]int
	// cut tells that some edges were not read.
	cut bool
}

// nearNodes is the number of nodes whose edges are read at once. nearEdges is the number of
// edges that are read of each node in each direction; each edge can be found from either of its
// ends.
const (
	nearNodes = 500
	nearEdges = 100
	// nearHubs bounds the nodes that are read again, one by one, because both ends of an edge may
	// have more than nearEdges edges.
	nearHubs = 100
)

// neighbourhood reads the edges between nodes, and counts the neighbours of each. The number of
// its store calls depends only on the number of chunks of nodes, except for up to nearHubs
// nodes with many edges.
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
	// Only edges from a node of feeding to a node of fed can still be missing: the other edges
	// were found from the end with few edges.
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

// fewEdgesOf reads all edges of nodes that have few, in both directions at once. fewEdgesOf
// returns the other nodes.
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

// typeOf returns the type of an entity whose URN the store returned.
func typeOf(urn string) string { return model.StoredURN(urn).EntityType() }

// nearEdgesOf reads up to nearEdges edges of each node in one direction, and counts its
// neighbours. nearEdgesOf returns the nodes that have more edges.
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

// add records the edges from one node to other nodes of the graph.
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
