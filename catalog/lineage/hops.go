package lineage

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
)

// hopEntities bounds the entities of the frontier whose edges are read at once, hopEdges the
// edges of each. Entities with more edges are read again, one by one.
const (
	hopEntities = 200
	hopEdges    = 100
)

// hopWalk is the state of a walk hop by hop.
type hopWalk struct {
	c       *Service
	walk    *Walk
	seen    map[string]bool
	expires time.Time
	degree  int
	// reached lists the entities of the current hop.
	reached []Reached
}

// walkByHops reads the edges of each hop itself, because the kind of an edge alone does not
// decide whether the walk follows it. walkByHops stops at the bound of entities.
func (s *Service) walkByHops(ctx context.Context, walk *Walk) error {
	q := &walk.Query
	walk.twins = map[string]string{}
	w := &hopWalk{c: s, walk: walk, seen: map[string]bool{}, expires: s.now().Add(walkPatience)}
	for _, start := range walk.Starts {
		w.seen[start] = true
	}
	frontier, err := s.withSiblings(ctx, walk, walk.Starts, w.seen)
	if err != nil {
		return err
	}
	for w.degree = 1; len(frontier) > 0 && w.degree <= maxHops && (q.MaxHops == 0 || w.degree <= q.MaxHops); w.degree++ {
		w.reached = nil
		whole, err := w.hop(ctx, frontier)
		if err != nil {
			return err
		}
		if !whole {
			walk.cut = graphstore.CutByTime
			return nil
		}
		slices.SortFunc(w.reached, func(a, b Reached) int { return cmp.Compare(a.URN, b.URN) })
		if room := w.room(); len(w.reached) > room {
			walk.Reached, walk.cut = append(walk.Reached, w.reached[:room]...), graphstore.CutByLimit
			return nil
		}
		walk.Reached = append(walk.Reached, w.reached...)
		frontier = make([]string, 0, len(w.reached)) // a new slice: the first frontier is walk.Starts itself
		for _, r := range w.reached {
			frontier = append(frontier, r.URN)
		}
		if frontier, err = s.withSiblings(ctx, walk, frontier, w.seen); err != nil {
			return err
		}
	}
	return nil
}

// room returns how many more entities the walk may reach.
func (w *hopWalk) room() int { return w.walk.Query.Reach - len(w.walk.Reached) }

// full reports whether the hop has more entities than the walk may still reach.
func (w *hopWalk) full() bool { return len(w.reached) > w.room() }

// hop reaches the unseen entities one hop from a frontier, until there is no room for more. hop
// returns false when the time is up.
func (w *hopWalk) hop(ctx context.Context, frontier []string) (whole bool, err error) {
	for some := range slices.Chunk(frontier, hopEntities) {
		if w.c.now().After(w.expires) {
			return false, nil
		}
		more, err := w.read(ctx, some, min(w.room()+1, hopEdges))
		if err != nil {
			return false, err
		}
		for _, urn := range more {
			if w.full() {
				return true, nil
			}
			rest, err := w.read(ctx, []string{urn}, catalog.MaxPage)
			if err != nil {
				return false, err
			}
			if len(rest) > 0 {
				w.walk.cut = graphstore.CutByLimit
			}
		}
		if w.full() {
			return true, nil
		}
	}
	return true, nil
}

// read reaches the other ends of up to a number of edges of each entity. read returns the
// entities that have more edges.
func (w *hopWalk) read(ctx context.Context, from []string, edges int) (more []string, err error) {
	q := &w.walk.Query
	hop := w.c.hopOf(q.Direction, q)
	hop.most = edges
	if err := hop.readEdges(ctx, from); err != nil {
		return nil, err
	}
	var next []string
	for _, urn := range from {
		for _, edge := range hop.edges[urn] {
			if !w.seen[edge.Entity] {
				w.seen[edge.Entity] = true
				next = append(next, edge.Entity)
			}
		}
		if hop.totals[urn] > len(hop.edges[urn]) {
			more = append(more, urn)
		}
	}
	reached, err := w.c.lookUpReached(ctx, next, w.degree, q.WithoutRemoved)
	w.reached = append(w.reached, reached...)
	return more, err
}
