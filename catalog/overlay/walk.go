package overlay

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
)

// hopEntities is of how many entities one question reads the edges.
const hopEntities = 500

// Walk follows edges. A walk that meets nothing that the overlay touches is that of the inner store.
func (s *Store) Walk(ctx context.Context, q graphstore.WalkQuery) (graphstore.Walk, error) {
	walk, err := s.Store.Walk(ctx, q)
	if err != nil {
		return walk, err
	}
	if meets, err := s.meets(ctx, q, walk.Visits); err != nil || !meets {
		return walk, err
	}
	h := &hops{s: s, q: &q, seen: map[string]bool{}}
	frontier := make([]graphstore.Visit, len(q.From))
	for i, urn := range q.From {
		frontier[i].URN = urn
		h.seen[urn] = true
	}
	found, err := graphstore.WalkByHops(&q, frontier, func(v *graphstore.Visit) *graphstore.Visit { return v }, func(frontier []graphstore.Visit, expires time.Time) ([]graphstore.Visit, error) {
		return h.next(ctx, frontier, expires)
	})
	if h.cut && found.Cut == graphstore.NotCut {
		found.Cut = graphstore.CutByLimit
	}
	return found, err
}

// meets reports whether a walk, which reaches some entities in the inner store, meets an entity that the overlay
// touches. A walk without removed entities does not reach removed entities that the overlay restores.
func (s *Store) meets(ctx context.Context, q graphstore.WalkQuery, reached []graphstore.Visit) (bool, error) {
	touched := func(urn string) bool { return len(s.at[urn]) > 0 || s.aspects[urn] != nil }
	visited := func(v graphstore.Visit) bool { return touched(v.URN) }
	if slices.ContainsFunc(q.From, touched) || slices.ContainsFunc(reached, visited) {
		return true, nil
	}
	if !q.WithoutRemoved || !s.restores {
		return false, nil
	}
	q.WithoutRemoved, q.Before = false, false
	walk, err := s.Store.Walk(ctx, q)
	return walk.Cut != graphstore.NotCut || slices.ContainsFunc(walk.Visits, visited), err
}

// hops is a walk by hops.
type hops struct {
	s    *Store
	q    *graphstore.WalkQuery
	seen map[string]bool
	// cut: an entity has more edges than a question reads.
	cut bool
}

// next returns the entities that are one hop from the frontier and were not reached before.
func (h *hops) next(ctx context.Context, frontier []graphstore.Visit, expires time.Time) ([]graphstore.Visit, error) {
	reached := map[string]*graphstore.Visit{}
	for some := range slices.Chunk(frontier, hopEntities) {
		if graphstore.Expired(expires) {
			return nil, graphstore.ErrImpatient
		}
		urns := make([]string, len(some))
		for i := range some {
			urns[i] = some[i].URN
		}
		for _, direction := range []graphstore.Direction{graphstore.Outgoing, graphstore.Incoming} {
			kinds := kindsOf(h.q.Steps, direction)
			if len(kinds) == 0 {
				continue
			}
			pages, err := h.s.Edges(ctx, graphstore.EdgeQuery{
				URNs: urns, Direction: direction, Kinds: kinds, Walks: true, WithoutRemoved: h.q.WithoutRemoved, Page: graphstore.Page{Count: catalog.MaxPage},
			})
			if err != nil {
				return nil, err
			}
			for _, from := range urns {
				h.cut = h.cut || pages[from].Total > int64(len(pages[from].Edges))
				for _, e := range pages[from].Edges {
					h.reach(reached, from, e.OtherEnd(direction))
				}
			}
		}
	}
	return h.known(ctx, reached)
}

// reach notes that a hop leads to an entity.
func (h *hops) reach(reached map[string]*graphstore.Visit, from, to string) {
	if h.seen[to] {
		return
	}
	v := &graphstore.Visit{URN: to, Type: graphstore.TypeOf(to)}
	if h.q.Before {
		v.Before = from
	}
	switch known := reached[to]; {
	case known == nil:
		reached[to] = v
	case h.q.Before && known.Before != from:
		known.MergeVisit(v)
	}
}

// known completes the entities of a hop, in the order of their URNs.
func (h *hops) known(ctx context.Context, reached map[string]*graphstore.Visit) ([]graphstore.Visit, error) {
	urns := make([]string, 0, len(reached))
	for urn, v := range reached {
		h.seen[urn] = true
		if v.Type == catalog.Restricted {
			v.Exists = true
		} else {
			urns = append(urns, urn)
		}
	}
	slices.Sort(urns)
	nodes, err := h.s.Entities(ctx, urns)
	if err != nil {
		return nil, err
	}
	for i := range nodes {
		if v := reached[nodes[i].URN]; v != nil {
			v.Type, v.Exists, v.Removed = nodes[i].Type, nodes[i].Exists, nodes[i].Removed
		}
	}
	next := make([]graphstore.Visit, 0, len(reached))
	for _, v := range reached {
		if !h.q.WithoutRemoved || !v.Removed {
			next = append(next, *v)
		}
	}
	slices.SortFunc(next, func(a, b graphstore.Visit) int { return strings.Compare(a.URN, b.URN) })
	return next, nil
}
