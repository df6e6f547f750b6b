package visible

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
)

// widened is how often a walk that lost hidden entities to its limit is done again with a larger limit.
const widened = 3

// Walk follows edges. A hidden entity between the start and a visible entity is followed, and is in the
// walk as a restricted step. Other hidden entities are absent, and no walk begins at one.
func (s *Store) Walk(ctx context.Context, q graphstore.WalkQuery) (graphstore.Walk, error) {
	view := s.alongEdges(ctx)
	if view == nil {
		return s.Store.Walk(ctx, q)
	}
	w := &hiding{s: s, view: view, asked: q.Before}
	var err error
	if q.From, w.starts, err = view.steps(ctx, q.From); err != nil {
		return graphstore.Walk{}, err
	}
	met, err := view.metHidden(ctx)
	if err != nil {
		return graphstore.Walk{}, err
	}
	// Predecessors tell most of the steps that lead to an entity. Nobody but those who meet hidden entities pays for them.
	q.Before = q.Before || met.Load()
	limit := q.Limit
	for round := 0; ; round++ {
		walk, err := s.Store.Walk(ctx, q)
		if err != nil {
			return graphstore.Walk{}, err
		}
		all := len(walk.Visits)
		if walk.Visits, err = w.restricted(ctx, &q, walk.Visits); err != nil {
			return graphstore.Walk{}, err
		}
		if w.hides {
			met.Store(true)
		}
		if walk.Cut == graphstore.CutByLimit && len(walk.Visits) < limit && len(walk.Visits) < all && round < widened {
			q.Limit *= 2
			continue
		}
		if len(walk.Visits) > limit {
			walk.Visits, walk.Cut = walk.Visits[:limit], graphstore.CutByLimit
		}
		return walk, nil
	}
}

// metHidden returns the flag that remembers, as long as the caller's rights stay the same, that a walk met something
// hidden.
func (s *sight) metHidden(ctx context.Context) (*atomic.Bool, error) {
	met, err := s.Remember(ctx, "walks met hidden entities", func() (any, bool, error) { return new(atomic.Bool), true, nil })
	if err != nil {
		return nil, err
	}
	return met.(*atomic.Bool), nil
}

// hiding hides entities of one walk.
type hiding struct {
	s    *Store
	view *sight
	// starts leads from the start entities to the URNs by which the caller knows them.
	starts map[string]string
	// asked tells that the caller asks for predecessors.
	asked bool
	// hides tells that something on the walk is hidden.
	hides bool

	visits     []graphstore.Visit
	sees, kept []bool
	// at has the places of the hidden visits that may lead to other visits. feeders has, by the URN of a
	// visit, the hidden visits that lead to it, if the one predecessor of the visit does not name them.
	at      map[string]int
	feeders map[string][]string
	// names has the restricted URNs of hidden visits, "" for one that is not made yet.
	names []string
}

// restricted returns the visits of a walk with restricted steps in place of hidden ones, without those
// that lead to nothing visible.
func (w *hiding) restricted(ctx context.Context, q *graphstore.WalkQuery, visits []graphstore.Visit) (_ []graphstore.Visit, err error) {
	urns := make([]string, len(visits))
	for i := range visits {
		urns[i] = visits[i].URN
	}
	w.visits, w.at, w.feeders, w.names = visits, nil, nil, nil
	if w.sees, err = w.view.each(ctx, urns); err != nil {
		return nil, err
	}
	w.kept = w.sees
	w.hides = slices.Contains(w.sees, false)
	if !w.hides && !q.Before {
		return visits, nil
	}
	if w.hides {
		w.kept, w.names = slices.Clone(w.sees), make([]string, len(visits))
		if err := w.keepLeading(ctx, q); err != nil {
			return nil, err
		}
	}
	return w.withSteps(), nil
}

// withSteps returns the kept visits in order, hidden ones as restricted steps. A step has another place than its hidden visit,
// because it has another URN.
func (w *hiding) withSteps() []graphstore.Visit {
	steps := make([]graphstore.Visit, 0, w.hidden())
	for i := range w.visits {
		if w.kept[i] && !w.sees[i] {
			v := &w.visits[i]
			w.lead(v)
			steps = append(steps, graphstore.Visit{
				URN: w.nameOf(i), Type: catalog.Restricted, Degree: v.Degree, Exists: true, Before: v.Before, Others: v.Others,
			})
		}
	}
	slices.SortFunc(steps, func(a, b graphstore.Visit) int { return graphstore.CompareVisits(&a, &b) })
	all := make([]graphstore.Visit, 0, len(w.visits))
	for i := range w.visits {
		if !w.sees[i] {
			continue
		}
		for len(steps) > 0 && graphstore.CompareVisits(&steps[0], &w.visits[i]) < 0 {
			all, steps = append(all, steps[0]), steps[1:]
		}
		all = append(all, w.visits[i])
		w.lead(&all[len(all)-1])
	}
	return append(all, steps...)
}

// nameOf returns the restricted URN of a hidden visit.
func (w *hiding) nameOf(i int) string {
	if w.names[i] == "" {
		w.names[i] = w.view.restrict(w.visits[i].URN)
	}
	return w.names[i]
}

// hidden counts the hidden visits.
func (w *hiding) hidden() int {
	n := 0
	for _, sees := range w.sees {
		if !sees {
			n++
		}
	}
	return n
}

// keepLeading keeps the hidden visits that lead to a kept visit of the next degree.
func (w *hiding) keepLeading(ctx context.Context, q *graphstore.WalkQuery) (err error) {
	last := w.visits[len(w.visits)-1].Degree
	w.at = make(map[string]int, w.hidden())
	var from, to []string
	nearest := last
	for i := range w.visits {
		v := &w.visits[i]
		if v.Degree > nearest && (v.Before == "" || v.Others) {
			to = append(to, v.URN)
		}
		if !w.sees[i] && v.Degree < last {
			nearest = min(nearest, v.Degree)
			w.at[v.URN] = i
			from = append(from, v.URN)
		}
	}
	if len(from) > 0 && len(to) > 0 {
		// One question about all degrees is faster than one for each.
		w.feeders, err = w.s.Store.Feeders(ctx, graphstore.FeederQuery{From: from, To: to, Steps: q.Steps, AsOf: q.AsOf})
		if err != nil {
			return err
		}
	}
	// The farthest first: the target of a step is known before the step.
	for i := len(w.visits) - 1; i >= 0; i-- {
		if !w.kept[i] {
			continue
		}
		w.keepHidden(w.visits[i].Before, i)
		for _, urn := range w.feeders[w.visits[i].URN] {
			w.keepHidden(urn, i)
		}
	}
	return nil
}

// keepHidden keeps a hidden visit that leads to a kept one.
func (w *hiding) keepHidden(urn string, leads int) {
	if before, hidden := w.at[urn]; hidden && w.visits[before].Degree == w.visits[leads].Degree-1 {
		w.kept[before] = true
	}
}

// lead gives a visit its predecessor by the URN that the caller knows, "" if it is not known. A caller who does not ask for
// predecessors gets none.
func (w *hiding) lead(v *graphstore.Visit) {
	if !w.asked {
		v.Before, v.Others = "", false
	} else if v.Before != "" {
		v.Before = w.predecessor(v)
	}
}

// predecessor returns the predecessor of a visit. The store may order predecessors otherwise, because it knows other URNs of
// hidden ones.
func (w *hiding) predecessor(v *graphstore.Visit) string {
	if v.Degree == 1 {
		known := w.starts[v.Before]
		if v.Others && known != v.Before {
			return ""
		}
		return known
	}
	at, hidden := w.at[v.Before]
	switch {
	case hidden && v.Others:
		return ""
	case hidden:
		return w.nameOf(at)
	}
	first := v.Before
	for _, urn := range w.feeders[v.URN] {
		if at := w.at[urn]; w.visits[at].Degree == v.Degree-1 {
			first = min(first, w.nameOf(at))
		}
	}
	return first
}
