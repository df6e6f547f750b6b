package visible

import (
	"context"
	"slices"

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
	var err error
	if q.From, _, err = view.steps(ctx, q.From); err != nil {
		return graphstore.Walk{}, err
	}
	limit := q.Limit
	for again := 0; ; again++ {
		walk, err := s.Store.Walk(ctx, q)
		if err != nil {
			return graphstore.Walk{}, err
		}
		all := len(walk.Visits)
		if walk.Visits, err = s.restricted(ctx, view, &q, walk.Visits); err != nil {
			return graphstore.Walk{}, err
		}
		if walk.Cut == graphstore.CutByLimit && len(walk.Visits) < limit && len(walk.Visits) < all && again < widened {
			q.Limit *= 2
			continue
		}
		if len(walk.Visits) > limit {
			walk.Visits, walk.Cut = walk.Visits[:limit], graphstore.CutByLimit
		}
		return walk, nil
	}
}

// restricted returns the visits of a walk with restricted steps in place of hidden ones, without those
// that lead to nothing visible.
func (s *Store) restricted(ctx context.Context, view *sight, q *graphstore.WalkQuery, visits []graphstore.Visit) ([]graphstore.Visit, error) {
	urns := make([]string, len(visits))
	for i := range visits {
		urns[i] = visits[i].URN
	}
	sees, err := view.each(ctx, urns)
	if err != nil || !slices.Contains(sees, false) {
		return visits, err
	}
	kept := slices.Clone(sees)
	if err := s.keepLeading(ctx, q, visits, kept); err != nil {
		return nil, err
	}
	var steps []graphstore.Visit
	for i, v := range visits {
		if kept[i] && !sees[i] {
			steps = append(steps, graphstore.Visit{URN: view.restrict(v.URN), Type: catalog.Restricted, Degree: v.Degree, Exists: true})
		}
	}
	slices.SortFunc(steps, func(a, b graphstore.Visit) int { return graphstore.CompareVisits(&a, &b) })
	left := make([]graphstore.Visit, 0, len(visits))
	for i := range visits {
		if !sees[i] {
			continue
		}
		for len(steps) > 0 && graphstore.CompareVisits(&steps[0], &visits[i]) < 0 {
			left, steps = append(left, steps[0]), steps[1:]
		}
		left = append(left, visits[i])
	}
	return append(left, steps...), nil
}

// keepLeading keeps the hidden visits that lead to a kept visit of the next degree.
func (s *Store) keepLeading(ctx context.Context, q *graphstore.WalkQuery, visits []graphstore.Visit, kept []bool) error {
	last := visits[len(visits)-1].Degree
	at := map[string]int{}
	var from, to []string
	for i := range visits {
		if len(from) > 0 && visits[i].Degree > visits[at[from[0]]].Degree {
			to = append(to, visits[i].URN)
		}
		if !kept[i] && visits[i].Degree < last {
			at[visits[i].URN] = i
			from = append(from, visits[i].URN)
		}
	}
	if len(to) == 0 {
		return nil
	}
	// One question about all degrees is faster than one for each.
	feeders, err := s.Store.Feeders(ctx, graphstore.FeederQuery{From: from, To: to, Steps: q.Steps, AsOf: q.AsOf})
	if err != nil {
		return err
	}
	// The farthest first: what a step leads to is known before the step.
	for i := len(visits) - 1; i >= 0; i-- {
		if !kept[i] {
			continue
		}
		for _, urn := range feeders[visits[i].URN] {
			if before := at[urn]; visits[before].Degree == visits[i].Degree-1 {
				kept[before] = true
			}
		}
	}
	return nil
}
