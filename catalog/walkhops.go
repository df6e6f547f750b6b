package catalog

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/headwater-io/headwater/graphstore"
)

// What a walk by hop reads in one go: entities of its frontier, and edges of
// each. Those that have more edges are read again, one by one.
const (
	hopEntities = 200
	hopEdges    = 100
)

// hopWalk is a walk by hop on its way.
type hopWalk struct {
	c       *Catalog
	walk    *Walk
	seen    map[string]bool
	expires time.Time
	degree  int
	// reached are the entities of the present hop.
	reached []Reached
}

// walkByHops reads the edges of each hop, because which of them count depends
// on more than their kind. It leaves off when it has reached what it may.
func (c *Catalog) walkByHops(ctx context.Context, walk *Walk) error {
	q := &walk.Query
	walk.twins = map[string]string{}
	w := &hopWalk{c: c, walk: walk, seen: map[string]bool{}, expires: c.now().Add(walkPatience)}
	for _, start := range walk.Starts {
		w.seen[start] = true
	}
	frontier, err := c.withSiblings(ctx, walk, walk.Starts, w.seen)
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
		frontier = make([]string, 0, len(w.reached)) // the first one is the walk's own list of starts
		for _, r := range w.reached {
			frontier = append(frontier, r.URN)
		}
		if frontier, err = c.withSiblings(ctx, walk, frontier, w.seen); err != nil {
			return err
		}
	}
	return nil
}

// room is how many entities the walk may reach yet.
func (w *hopWalk) room() int { return w.walk.Query.Reach - len(w.walk.Reached) }

// full: the hop has more than the walk may reach.
func (w *hopWalk) full() bool { return len(w.reached) > w.room() }

// hop reaches what lies behind some entities and was not seen, until that is
// more than there is room for. False says that the time is over.
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
			rest, err := w.read(ctx, []string{urn}, MaxPage)
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

// read reaches what edges of some entities lead to, up to so many of each. It
// returns those that have more.
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
	reached, err := w.c.reached(ctx, next, w.degree, q.WithoutRemoved)
	w.reached = append(w.reached, reached...)
	return more, err
}
