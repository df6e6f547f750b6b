package visible

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// Edges reads the edges of entities. An edge whose other end is hidden is absent, and not counted. A walk
// gets a restricted step in its place.
func (s *Store) Edges(ctx context.Context, q graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error) {
	view := of(ctx)
	if view == nil {
		return s.Store.Edges(ctx, q)
	}
	if s.alongEdges(ctx) == nil {
		found, err := s.Store.Edges(ctx, q)
		if err != nil {
			return nil, err
		}
		return withCleanEdges(ctx, view, found, func(page graphstore.EdgePage) []graphstore.Edge { return page.Edges },
			func(page graphstore.EdgePage, edges []graphstore.Edge) graphstore.EdgePage {
				return graphstore.EdgePage{Edges: edges, Total: page.Total}
			})
	}
	if q.Walks {
		return s.hop(ctx, view, q)
	}
	asked := q.URNs
	pages := make(map[string]graphstore.EdgePage, len(asked))
	for _, urn := range asked {
		pages[urn] = graphstore.EdgePage{Edges: []graphstore.Edge{}}
	}
	var err error
	if q.URNs, err = view.asked(ctx, asked); err != nil {
		return nil, err
	}
	page := q.Page
	all, err := s.allEdges(ctx, q)
	if err != nil {
		return nil, err
	}
	if err := view.edges(ctx, all, q.Direction); err != nil {
		return nil, err
	}
	for urn, edges := range all {
		pages[urn] = graphstore.EdgePage{Edges: append([]graphstore.Edge{}, page.Cut(edges)...), Total: int64(len(edges))}
	}
	return pages, nil
}

// allEdges reads all edges of entities, whatever the page of the query.
func (s *Store) allEdges(ctx context.Context, q graphstore.EdgeQuery) (map[string][]graphstore.Edge, error) {
	q.Page = graphstore.Page{Count: rowsAtOnce}
	all := map[string][]graphstore.Edge{}
	for len(q.URNs) > 0 {
		found, err := s.Store.Edges(ctx, q)
		if err != nil {
			return nil, err
		}
		if q.Start += rowsAtOnce; q.Start > limits.VisibleRows {
			return nil, tooMany("edges")
		}
		q.URNs = slices.DeleteFunc(slices.Clone(q.URNs), func(urn string) bool {
			all[urn] = append(all[urn], found[urn].Edges...)
			return found[urn].Total <= int64(q.Start)
		})
	}
	withoutStandIns(all)
	return all, nil
}

// edges removes from lists of edges the edges whose other end is hidden, and from the others the hidden
// entities that they name.
func (s *sight) edges(ctx context.Context, lists map[string][]graphstore.Edge, d graphstore.Direction) error {
	n := s.maybeHidden()
	for _, edges := range lists {
		for i := range edges {
			n.add(edges[i].OtherEnd(d))
			n.addEdge(&edges[i])
		}
	}
	hidden, err := s.hiddenOf(ctx, &n)
	if err != nil || hidden == nil {
		return err
	}
	for urn, edges := range lists {
		left := make([]graphstore.Edge, 0, len(edges))
		for _, e := range edges {
			if !hidden[e.OtherEnd(d)] {
				cleanEdge(&e, hidden)
				left = append(left, e)
			}
		}
		lists[urn] = left
	}
	return nil
}

func (n *named) addEdge(e *graphstore.Edge) {
	n.add(e.Owners...)
	n.add(e.SinceActor, e.ResumedActor, e.UntilActor)
	n.addAttributes(&e.EdgeAttributes)
}

// cleanEdge removes hidden entities from an edge whose ends are visible.
func cleanEdge(e *graphstore.Edge, hidden map[string]bool) {
	hideActor(&e.SinceActor, hidden)
	hideActor(&e.ResumedActor, hidden)
	hideActor(&e.UntilActor, hidden)
	cleanAttributes(&e.EdgeAttributes, hidden)
	e.Owners = slices.DeleteFunc(slices.Clone(e.Owners), func(urn string) bool { return hidden[urn] })
}

// RemovedAmong finds the entities that are soft-deleted.
func (s *Store) RemovedAmong(ctx context.Context, urns []string) (map[string]bool, error) {
	if view := of(ctx); view != nil {
		var err error
		if urns, err = view.asked(ctx, urns); err != nil {
			return nil, err
		}
	}
	return s.Store.RemovedAmong(ctx, urns)
}

// FarEnds finds the entities to which relationships lead.
func (s *Store) FarEnds(ctx context.Context, q graphstore.EndQuery) (map[string][]string, error) {
	view := of(ctx)
	if view == nil {
		return s.Store.FarEnds(ctx, q)
	}
	var err error
	if q.URNs, err = view.asked(ctx, q.URNs); err != nil {
		return nil, err
	}
	found, err := s.Store.FarEnds(ctx, q)
	if err != nil {
		return nil, err
	}
	withoutStandIns(found)
	return view.onlyIn(ctx, found)
}

// onlyIn returns lists of URNs without hidden entities, and without empty lists.
func (s *sight) onlyIn(ctx context.Context, lists map[string][]string) (map[string][]string, error) {
	var n named
	for _, urns := range lists {
		n.add(urns...)
	}
	visible, err := s.of(ctx, n.urns)
	if err != nil {
		return nil, err
	}
	clean := make(map[string][]string, len(lists))
	for urn, urns := range lists {
		if left := slices.DeleteFunc(slices.Clone(urns), func(end string) bool { return !visible[end] }); len(left) > 0 {
			clean[urn] = left
		}
	}
	return clean, nil
}

// Feeders finds the near ends of hops, including restricted steps of this request.
func (s *Store) Feeders(ctx context.Context, q graphstore.FeederQuery) (map[string][]string, error) {
	view := s.alongEdges(ctx)
	if view == nil {
		return s.Store.Feeders(ctx, q)
	}
	from, fromKnown, err := view.steps(ctx, q.From)
	if err != nil {
		return nil, err
	}
	to, toKnown, err := view.steps(ctx, q.To)
	if err != nil {
		return nil, err
	}
	q.From, q.To = from, to
	found, err := s.Store.Feeders(ctx, q)
	if err != nil {
		return nil, err
	}
	known := make(map[string][]string, len(found))
	for end, feeders := range found {
		names := make([]string, len(feeders))
		for i, feeder := range feeders {
			names[i] = fromKnown[feeder]
		}
		known[toKnown[end]] = names
	}
	return known, nil
}

// EdgesBetween reads the edges of pairs. If an end is restricted, it reports only that an edge exists.
func (s *Store) EdgesBetween(ctx context.Context, q graphstore.PairQuery) (map[graphstore.Pair][]graphstore.Edge, error) {
	view := of(ctx)
	if view == nil {
		return s.Store.EdgesBetween(ctx, q)
	}
	if s.alongEdges(ctx) == nil {
		found, err := s.Store.EdgesBetween(ctx, q)
		if err != nil {
			return nil, err
		}
		return withCleanEdges(ctx, view, found, func(edges []graphstore.Edge) []graphstore.Edge { return edges },
			func(_, edges []graphstore.Edge) []graphstore.Edge { return edges })
	}
	var ends named
	for _, pair := range q.Pairs {
		ends.add(pair.From, pair.To)
	}
	stored, known, err := view.steps(ctx, ends.urns)
	if err != nil {
		return nil, err
	}
	at := make(map[string]string, len(stored))
	for _, urn := range stored {
		at[known[urn]] = urn
	}
	pairs := q.Pairs
	q.Pairs = nil
	for _, pair := range pairs {
		if from, to := at[pair.From], at[pair.To]; from != "" && to != "" {
			q.Pairs = append(q.Pairs, graphstore.Pair{From: from, To: to})
		}
	}
	if len(q.Pairs) == 0 {
		return map[graphstore.Pair][]graphstore.Edge{}, nil
	}
	found, err := s.Store.EdgesBetween(ctx, q)
	if err != nil {
		return nil, err
	}
	n := view.maybeHidden()
	for _, edges := range found {
		for i := range edges {
			n.addEdge(&edges[i])
		}
	}
	hidden, err := view.hiddenOf(ctx, &n)
	if err != nil {
		return nil, err
	}
	clean := make(map[graphstore.Pair][]graphstore.Edge, len(found))
	for pair, edges := range found {
		named := graphstore.Pair{From: known[pair.From], To: known[pair.To]}
		for _, e := range edges {
			if IsRestricted(named.From) || IsRestricted(named.To) {
				e = graphstore.Edge{Source: known[e.Source], Destination: known[e.Destination], Type: e.Type, Owners: []string{}}
				clean[named] = append(clean[named], e)
				break // the number of edges is hidden too
			}
			cleanEdge(&e, hidden)
			clean[named] = append(clean[named], e)
		}
	}
	return clean, nil
}

// withCleanEdges returns lists of edges whose ends are visible, without the hidden entities that the edges name
// besides. It does not change the given lists, which the store may keep.
func withCleanEdges[K comparable, V any](ctx context.Context, view *sight, found map[K]V, edgesOf func(V) []graphstore.Edge, with func(V, []graphstore.Edge) V) (map[K]V, error) {
	n := view.maybeHidden()
	for _, list := range found {
		edges := edgesOf(list)
		for i := range edges {
			n.addEdge(&edges[i])
		}
	}
	hidden, err := view.hiddenOf(ctx, &n)
	if err != nil || hidden == nil {
		return found, err
	}
	clean := make(map[K]V, len(found))
	for key, list := range found {
		edges := slices.Clone(edgesOf(list))
		for i := range edges {
			cleanEdge(&edges[i], hidden)
		}
		clean[key] = with(list, edges)
	}
	return clean, nil
}

// EdgesToParts finds the entities that state edges to parts of entities.
func (s *Store) EdgesToParts(ctx context.Context, q graphstore.PartQuery) (graphstore.PartEdges, error) {
	view := s.alongEdges(ctx)
	if view == nil {
		return s.Store.EdgesToParts(ctx, q)
	}
	limit := q.Limit
	for q.Limit = limit; ; q.Limit = min(4*q.Limit+rowsAtOnce, limits.VisibleRows+1) {
		found, err := s.Store.EdgesToParts(ctx, q)
		if err != nil {
			return found, err
		}
		n := view.maybeHidden()
		for _, e := range found.Edges {
			n.add(e.Owner, e.Source)
		}
		hidden, err := view.hiddenOf(ctx, &n)
		if err != nil {
			return found, err
		}
		found.Edges = slices.DeleteFunc(slices.Clone(found.Edges), func(e graphstore.PartEdge) bool { return hidden[e.Owner] || hidden[e.Source] })
		switch {
		case len(found.Edges) > limit:
			return graphstore.PartEdges{Edges: found.Edges[:limit], Cut: true}, nil
		case !found.Cut || len(found.Edges) == limit:
			return found, nil
		case q.Limit > limits.VisibleRows:
			return found, tooMany("edges")
		}
	}
}
