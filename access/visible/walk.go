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
	visible, err := view.of(ctx, urns)
	if err != nil {
		return nil, err
	}
	kept := make([]bool, len(visits))
	hides := false
	for i, urn := range urns {
		kept[i] = visible[urn]
		hides = hides || !visible[urn]
	}
	if !hides {
		return visits, nil
	}
	// The farthest first: what a step leads to is known before the step.
	for end := len(visits); end > 0; {
		begin := end - 1
		for begin > 0 && visits[begin-1].Degree == visits[end-1].Degree {
			begin--
		}
		if err := s.keepLeading(ctx, q, visits, kept, begin, end); err != nil {
			return nil, err
		}
		end = begin
	}
	left := make([]graphstore.Visit, 0, len(visits))
	for i, v := range visits {
		switch {
		case visible[v.URN]:
			left = append(left, v)
		case kept[i]:
			left = append(left, graphstore.Visit{URN: view.restrict(v.URN), Type: catalog.Restricted, Degree: v.Degree, Exists: true})
		}
	}
	slices.SortFunc(left, func(a, b graphstore.Visit) int { return graphstore.CompareVisits(&a, &b) })
	return left, nil
}

// keepLeading keeps the hidden visits of one degree that lead to a kept visit of the next.
func (s *Store) keepLeading(ctx context.Context, q *graphstore.WalkQuery, visits []graphstore.Visit, kept []bool, begin, end int) error {
	at := map[string]int{}
	var from, to []string
	for i := begin; i < end; i++ {
		if !kept[i] {
			at[visits[i].URN] = i
			from = append(from, visits[i].URN)
		}
	}
	for i := end; i < len(visits) && visits[i].Degree == visits[begin].Degree+1; i++ {
		if kept[i] {
			to = append(to, visits[i].URN)
		}
	}
	if len(from) == 0 || len(to) == 0 {
		return nil
	}
	feeders, err := s.Store.Feeders(ctx, graphstore.FeederQuery{From: from, To: to, Steps: q.Steps, AsOf: q.AsOf})
	if err != nil {
		return err
	}
	for _, some := range feeders {
		for _, urn := range some {
			kept[at[urn]] = true
		}
	}
	return nil
}
