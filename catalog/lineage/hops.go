package lineage

import (
	"cmp"
	"context"
	"maps"
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
	// reached lists the entities of the current hop, hidden the restricted steps among them.
	reached []Reached
	hidden  int
	// leads has the entities to which restricted steps, and their siblings, lead.
	leads map[string][]string
}

// maxHidden is how many restricted steps a walk by hops may meet for each entity that it may reach. Most of
// these steps lead to nothing visible, and are not in the result.
const maxHidden = 4

// walkByHops reads the edges of each hop itself, because the kind of an edge alone does not
// decide whether the walk follows it. walkByHops stops at the bound of entities.
func (s *Service) walkByHops(ctx context.Context, walk *Walk) error {
	q := &walk.Query
	walk.twins, walk.restricted = map[string]string{}, map[graphstore.Pair]bool{}
	w := &hopWalk{c: s, walk: walk, seen: map[string]bool{}, expires: s.now().Add(walkPatience), leads: map[string][]string{}}
	defer w.prune()
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
		if w.full() {
			w.reached = slices.DeleteFunc(w.reached, func(r Reached) bool { return r.Type == catalog.Restricted })
			walk.Reached, walk.cut = append(walk.Reached, w.reached[:min(len(w.reached), w.room())]...), graphstore.CutByLimit
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

// prune removes the restricted steps that lead to no entity.
func (w *hopWalk) prune() {
	if w.hidden == 0 {
		return
	}
	kept := map[string]int{} // the degrees of the entities that are kept
	left := make([]Reached, 0, len(w.walk.Reached))
	for _, r := range slices.Backward(w.walk.Reached) { // the farthest first: a step is judged by the steps that come after it
		leads := func(urn string) bool { return kept[urn] == r.Degree+1 }
		if r.Type != catalog.Restricted || slices.ContainsFunc(w.leads[r.URN], leads) {
			kept[r.URN] = r.Degree
			left = append(left, r)
		}
	}
	slices.Reverse(left)
	w.walk.Reached = left
	maps.DeleteFunc(w.walk.twins, func(_, of string) bool { return isRestricted(of) && kept[of] == 0 })
}

// room returns how many more entities the walk may reach. Restricted steps of earlier hops do not count.
func (w *hopWalk) room() int {
	earlier := len(w.walk.Reached) - (w.hidden - countRestricted(w.reached))
	return w.walk.Query.Reach - earlier
}

// full reports whether the hop has more entities than the walk may still reach, or the walk has met too many
// restricted steps.
func (w *hopWalk) full() bool {
	return len(w.reached)-countRestricted(w.reached) > w.room() || w.hidden > maxHidden*w.walk.Query.Reach
}

func countRestricted(reached []Reached) int {
	n := 0
	for i := range reached {
		if reached[i].Type == catalog.Restricted {
			n++
		}
	}
	return n
}

// note notes a hop with a restricted end, and the entities that follow a restricted step or its sibling.
func (w *hopWalk) note(from, to string) {
	if isRestricted(from) || isRestricted(to) {
		w.walk.restricted[graphstore.Pair{From: from, To: to}] = true
	}
	of := from
	if twin, is := w.walk.twins[from]; is {
		of = twin
	}
	if isRestricted(of) {
		w.leads[of] = append(w.leads[of], to)
	}
}

// leavesOut reports whether a walk by hops did not take a hop with a restricted end. Only the walk knows
// whether the edge of such a hop is within the time of the query.
func (w *Walk) leavesOut(pair graphstore.Pair) bool {
	return w.restricted != nil && (isRestricted(pair.From) || isRestricted(pair.To)) && !w.restricted[pair]
}

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
	hop.most, hop.walks, hop.withoutRemoved = edges, true, q.WithoutRemoved
	if err := hop.readEdges(ctx, from); err != nil {
		return nil, err
	}
	var next []string
	for _, urn := range from {
		for _, edge := range hop.edges[urn] {
			w.note(urn, edge.Entity)
			if !w.seen[edge.Entity] {
				w.seen[edge.Entity] = true
				next = append(next, edge.Entity)
			}
		}
		if hop.totals[urn] > len(hop.edges[urn]) {
			more = append(more, urn)
		}
	}
	var known []string
	for _, urn := range next {
		if !isRestricted(urn) {
			known = append(known, urn)
			continue
		}
		w.reached = append(w.reached, Reached{URN: urn, Type: catalog.Restricted, Degree: w.degree, Exists: true})
		w.hidden++
	}
	reached, err := w.c.lookUpReached(ctx, known, w.degree, q.WithoutRemoved)
	w.reached = append(w.reached, reached...)
	return more, err
}
