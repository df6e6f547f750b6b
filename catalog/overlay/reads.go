package overlay

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
)

// Entities returns the nodes of entities, including the nodes that only the overlay has.
func (s *Store) Entities(ctx context.Context, urns []string) ([]graphstore.Entity, error) {
	found, err := s.Store.Entities(ctx, urns)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for i := range found {
		e := &found[i]
		known[e.URN] = true
		if removed, stated := s.removed(e.URN); stated {
			e.Removed = removed
		}
		e.Exists = e.Exists || s.Has(e.URN)
	}
	for _, urn := range urns {
		if !known[urn] && (s.Has(urn) || len(s.at[urn]) > 0) {
			known[urn] = true
			removed, _ := s.removed(urn)
			found = append(found, graphstore.Entity{URN: urn, Type: graphstore.TypeOf(urn), Exists: s.Has(urn), Removed: removed})
		}
	}
	return found, nil
}

// RemovedAmong returns the entities that are soft-deleted, by the overlay where it states so.
func (s *Store) RemovedAmong(ctx context.Context, urns []string) (map[string]bool, error) {
	found, err := s.Store.RemovedAmong(ctx, urns)
	if err != nil {
		return nil, err
	}
	for _, urn := range urns {
		if removed, stated := s.removed(urn); stated && removed {
			found[urn] = true
		} else if stated {
			delete(found, urn)
		}
	}
	return found, nil
}

// LatestAspects returns the values of the overlay in place of the stored ones.
func (s *Store) LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error) {
	found, err := s.Store.LatestAspects(ctx, urns, names)
	if err != nil {
		return nil, err
	}
	for _, urn := range urns {
		given := s.aspects[urn]
		if len(given) == 0 {
			continue
		}
		left := slices.DeleteFunc(slices.Clone(found[urn]), func(a graphstore.Aspect) bool {
			_, replaced := given[a.Name]
			return replaced
		})
		for _, name := range slices.Sorted(maps.Keys(given)) {
			if value := given[name]; value != nil && (len(names) == 0 || slices.Contains(names, name)) {
				left = append(left, *value)
			}
		}
		if found == nil {
			found = map[string][]graphstore.Aspect{}
		}
		found[urn] = left
	}
	return found, nil
}

// AspectVersions returns the value of the overlay before the stored versions.
func (s *Store) AspectVersions(ctx context.Context, key graphstore.AspectKey, page graphstore.Page) ([]graphstore.Aspect, error) {
	value, ok := s.aspects[key.URN][key.Name]
	if !ok || page.Start > 0 {
		return s.Store.AspectVersions(ctx, key, page)
	}
	if value == nil {
		return nil, nil
	}
	if page.Count--; page.Count <= 0 {
		return []graphstore.Aspect{*value}, nil
	}
	stored, err := s.Store.AspectVersions(ctx, key, page)
	return append([]graphstore.Aspect{*value}, stored...), err
}

// WithPrefix returns the nodes whose URNs begin with a text, including the nodes that only the overlay has.
func (s *Store) WithPrefix(ctx context.Context, prefix string, limit int) ([]string, error) {
	found, err := s.Store.WithPrefix(ctx, prefix, limit)
	if err != nil {
		return nil, err
	}
	for urn := range s.at {
		if strings.HasPrefix(urn, prefix) {
			found = append(found, urn)
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	return found[:min(len(found), limit)], nil
}

// asks reports whether a query asks for an edge as seen from an entity.
func asks(q *graphstore.EdgeQuery, urn string, key edgeKey) bool {
	near := key.source
	if q.Direction == graphstore.Incoming {
		near = key.destination
	}
	if near != urn {
		return false
	}
	if len(q.Kinds) > 0 {
		return slices.Contains(q.Kinds, graphstore.EdgeKind{Type: key.kind, SourceType: graphstore.TypeOf(key.source), DestinationType: graphstore.TypeOf(key.destination)})
	}
	return len(q.Types) == 0 || slices.Contains(q.Types, key.kind)
}

// Edges returns the edges of entities: the stored edges that the overlay does not end, and the edges that it adds.
func (s *Store) Edges(ctx context.Context, q graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error) {
	var untouched, touched []string
	most := 0
	for _, urn := range q.URNs {
		if len(s.at[urn]) == 0 {
			untouched = append(untouched, urn)
		} else {
			touched, most = append(touched, urn), max(most, len(s.at[urn]))
		}
	}
	if len(touched) == 0 {
		return s.Store.Edges(ctx, q)
	}
	all := map[string]graphstore.EdgePage{}
	if len(untouched) > 0 {
		plain := q
		plain.URNs = untouched
		found, err := s.Store.Edges(ctx, plain)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, found)
	}
	wide := q
	wide.URNs, wide.Page = touched, graphstore.Page{Count: q.Start + q.Count + most}
	found, err := s.Store.Edges(ctx, wide)
	if err != nil {
		return nil, err
	}
	for _, urn := range touched {
		all[urn] = s.page(&q, urn, found[urn])
	}
	return all, nil
}

// page returns the page of an entity that the overlay touches. stored has the first of its stored edges.
func (s *Store) page(q *graphstore.EdgeQuery, urn string, stored graphstore.EdgePage) graphstore.EdgePage {
	edges := slices.DeleteFunc(slices.Clone(stored.Edges), func(e graphstore.Edge) bool { return s.ended[keyOf(&e)] })
	total := stored.Total
	for _, key := range s.at[urn] {
		if !asks(q, urn, key) {
			continue
		}
		if s.ended[key] {
			total--
		} else {
			edges = append(edges, s.added[key])
			total++
		}
	}
	edges = graphstore.MergeEdges(edges, q.Direction)
	return graphstore.EdgePage{Edges: q.Cut(edges), Total: max(total, int64(len(edges)))}
}

// EdgesBetween returns the edges between the ends of hops.
func (s *Store) EdgesBetween(ctx context.Context, q graphstore.PairQuery) (map[graphstore.Pair][]graphstore.Edge, error) {
	found, err := s.Store.EdgesBetween(ctx, q)
	if err != nil {
		return nil, err
	}
	for _, pair := range q.Pairs {
		edges := found[pair]
		changed := false
		for _, key := range s.at[pair.From] {
			for _, step := range q.Steps {
				source, destination := pair.From, pair.To
				if step.Direction == graphstore.Incoming {
					source, destination = destination, source
				}
				if key != (edgeKey{source, step.Type, destination}) || step.NearType() != graphstore.TypeOf(pair.From) || step.FarType() != graphstore.TypeOf(pair.To) {
					continue
				}
				if e, ok := s.added[key]; ok && !slices.ContainsFunc(edges, func(o graphstore.Edge) bool { return keyOf(&o) == key }) {
					edges, changed = append(slices.Clone(edges), e), true
				}
			}
		}
		if slices.ContainsFunc(edges, func(e graphstore.Edge) bool { return s.ended[keyOf(&e)] }) {
			edges, changed = slices.DeleteFunc(slices.Clone(edges), func(e graphstore.Edge) bool { return s.ended[keyOf(&e)] }), true
		}
		if !changed {
			continue
		}
		if found == nil {
			found = map[graphstore.Pair][]graphstore.Edge{}
		}
		if found[pair] = graphstore.MergePair(edges); len(edges) == 0 {
			delete(found, pair)
		}
	}
	return found, nil
}

// FarEnds returns the entities to which relationships of one type lead.
func (s *Store) FarEnds(ctx context.Context, q graphstore.EndQuery) (map[string][]string, error) {
	found, err := s.Store.FarEnds(ctx, q)
	if err != nil {
		return nil, err
	}
	for _, urn := range q.URNs {
		var ends []string
		changed := false
		for _, end := range found[urn] {
			if s.ended[edgeKey{urn, q.Type, end}] {
				changed = true
			} else {
				ends = append(ends, end)
			}
		}
		for _, key := range s.at[urn] {
			if _, added := s.added[key]; added && key.source == urn && key.kind == q.Type {
				ends, changed = append(ends, key.destination), true
			}
		}
		if changed {
			slices.Sort(ends)
			found[urn] = slices.Compact(ends)
		}
	}
	return found, nil
}

// Feeders returns from which entities hops lead to others.
func (s *Store) Feeders(ctx context.Context, q graphstore.FeederQuery) (map[string][]string, error) {
	var untouched, touched []string
	for _, urn := range q.To {
		if len(s.at[urn]) == 0 {
			untouched = append(untouched, urn)
		} else {
			touched = append(touched, urn)
		}
	}
	if len(touched) == 0 {
		return s.Store.Feeders(ctx, q)
	}
	all := map[string][]string{}
	if len(untouched) > 0 {
		plain := q
		plain.To = untouched
		found, err := s.Store.Feeders(ctx, plain)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, found)
	}
	place := map[string]int{}
	for i, urn := range q.From {
		place[urn] = i
	}
	for _, direction := range []graphstore.Direction{graphstore.Outgoing, graphstore.Incoming} {
		kinds := kindsOf(q.Steps, direction)
		if len(kinds) == 0 {
			continue
		}
		back := graphstore.Incoming // from the far end, the edge leads the other way
		if direction == graphstore.Incoming {
			back = graphstore.Outgoing
		}
		pages, err := s.Edges(ctx, graphstore.EdgeQuery{URNs: touched, Direction: back, Kinds: kinds, Walks: true, Page: graphstore.Page{Count: catalog.MaxPage}})
		if err != nil {
			return nil, err
		}
		for _, to := range touched {
			for _, e := range pages[to].Edges {
				from := e.OtherEnd(back)
				if _, wanted := place[from]; wanted && (len(q.StatedBy) == 0 || slices.ContainsFunc(e.Owners, func(o string) bool { return slices.Contains(q.StatedBy, graphstore.TypeOf(o)) })) {
					all[to] = append(all[to], from)
				}
			}
		}
	}
	for _, to := range touched {
		places := make([]int, 0, len(all[to]))
		for _, from := range all[to] {
			places = append(places, place[from])
		}
		if all[to] = graphstore.FirstFeeders(places, q.From, q.Most); len(all[to]) == 0 {
			delete(all, to)
		}
	}
	return all, nil
}

// kindsOf returns the kinds of the steps in a direction.
func kindsOf(steps []graphstore.Step, direction graphstore.Direction) []graphstore.EdgeKind {
	var kinds []graphstore.EdgeKind
	for _, step := range steps {
		if step.Direction == direction {
			kinds = append(kinds, step.EdgeKind)
		}
	}
	return kinds
}

// EdgesToParts returns which entities state edges to the parts of others.
func (s *Store) EdgesToParts(ctx context.Context, q graphstore.PartQuery) (graphstore.PartEdges, error) {
	found, err := s.Store.EdgesToParts(ctx, q)
	if err != nil {
		return found, err
	}
	replaced := func(owner string) bool {
		return slices.ContainsFunc(q.Types, func(kind string) bool { return s.kinds[owner][kind] })
	}
	found.Edges = slices.DeleteFunc(slices.Clone(found.Edges), func(e graphstore.PartEdge) bool { return replaced(e.Owner) })
	seen := map[graphstore.PartEdge]bool{}
	for owner, edges := range s.stated {
		for i := range edges {
			e := &edges[i]
			if !slices.Contains(q.Types, e.Type) {
				continue
			}
			for at, prefix := range q.Prefixes {
				if !strings.HasPrefix(e.Destination, prefix) {
					continue
				}
				part := graphstore.PartEdge{Prefix: at, Owner: owner}
				if slices.Contains(q.SourcesOf, graphstore.TypeOf(owner)) {
					part.Source = e.Source
				}
				if !seen[part] {
					seen[part] = true
					found.Edges = append(found.Edges, part)
				}
			}
		}
	}
	if len(found.Edges) > q.Limit {
		found.Edges, found.Cut = found.Edges[:q.Limit], true
	}
	return found, nil
}
