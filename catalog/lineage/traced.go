package lineage

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// tracedAtOnce is how many entities a walk may have reached for one read of all its hops.
// Tests lower it.
var tracedAtOnce = 300

// hopSteps are the steps of lineage in the direction of a walk, those of columns too.
func (s *Service) hopSteps(q *WalkQuery) []graphstore.Step {
	var steps []graphstore.Step
	for _, kind := range append(s.registry.LineageKinds(), model.ColumnLineage()) {
		step := graphstore.Step{EdgeKind: graphKind(kind.EdgeKind)}
		if kind.Upstream != (q.Direction == Upstream) {
			step.Direction = graphstore.Incoming
		}
		steps = append(steps, step)
	}
	if !q.References {
		return steps
	}
	about := incoming(append(slices.Clone(referenceKinds), foreignKey))
	if q.Direction == Upstream {
		for i := range about {
			about[i].Direction = graphstore.Outgoing
		}
	}
	return append(steps, about...)
}

// tracedLink is an edge between the ends of a hop; stated tells that its source is the end
// that is farther from the start of the walk.
type tracedLink struct {
	Link
	stated bool
}

// linksBetween reads the edges of pairs, from the end that is nearer to the start of a walk
// to the farther one: those in the time of the walk. Edges of one type are ordered as the
// farther end has them, those that leave it first.
func (s *Service) linksBetween(ctx context.Context, q *WalkQuery, pairs []graphstore.Pair) (map[graphstore.Pair][]tracedLink, error) {
	steps := s.hopSteps(q)
	found, err := s.store.EdgesBetween(ctx, graphstore.PairQuery{Pairs: pairs, Steps: steps, AsOf: q.AsOf})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	hop := s.hopOf(q.Direction, q)
	links := make(map[graphstore.Pair][]tracedLink, len(found))
	for pair, edges := range found {
		for i := range edges {
			d := directionOf(steps, pair, &edges[i])
			if r := relationshipOf(&edges[i], d); hop.inWindow(&edges[i], r.Manual) {
				links[pair] = append(links[pair], tracedLink{lineageLink(pair.From, &r, q.Direction), d == graphstore.Incoming})
			}
		}
		slices.SortStableFunc(links[pair], func(a, b tracedLink) int {
			return cmp.Or(cmp.Compare(a.Type, b.Type), statedFirst(&a, &b))
		})
	}
	return links, nil
}

// directionOf is how a step follows an edge between the entities of a pair. An edge from an
// entity to itself is followed as its kind is.
func directionOf(steps []graphstore.Step, pair graphstore.Pair, e *graphstore.Edge) graphstore.Direction {
	if pair.From == pair.To {
		for _, step := range graphstore.WithDirections(steps, typeOf(pair.From), typeOf(pair.To)) {
			if step.Type == e.Type {
				return step.Direction
			}
		}
	}
	if e.Source == pair.From {
		return graphstore.Outgoing
	}
	return graphstore.Incoming
}

func statedFirst(a, b *tracedLink) int {
	if a.stated == b.stated {
		return 0
	}
	if a.stated {
		return -1
	}
	return 1
}

// feeders finds what leads to entities in one hop of a walk. With types, only what entities of
// these types state counts.
func (s *Service) feeders(ctx context.Context, q *WalkQuery, from, to []string, most int, statedBy ...string) (map[string][]string, error) {
	if len(from) == 0 || len(to) == 0 {
		return nil, nil
	}
	found, err := s.store.Feeders(ctx, graphstore.FeederQuery{From: from, To: to, Steps: s.hopSteps(q), Most: most, AsOf: q.AsOf, StatedBy: statedBy})
	return found, catalog.StoreFailure(err)
}

// level returns the entities of a distance, in the order of their URNs.
func (w *Walk) level(degree int) []string {
	var level []string
	if degree > 0 && len(w.Reached) > 0 && len(w.twins) == 0 {
		at, _ := slices.BinarySearchFunc(w.Reached, degree, func(r Reached, degree int) int { return cmp.Compare(r.Degree, degree) })
		for ; at < len(w.Reached) && w.Reached[at].Degree == degree; at++ {
			level = append(level, w.Reached[at].URN)
		}
		return level
	}
	for urn, at := range w.degrees {
		if at == degree {
			level = append(level, urn)
		}
	}
	slices.Sort(level)
	return level
}

// readBack finds the edges that lead from entities of one distance to the hop before.
func (f *pathFinder) readBack(ctx context.Context, c *Service, urns []string, degree int) error {
	feeders, err := f.stepBack(ctx, c, urns, degree)
	if err != nil {
		return err
	}
	return f.link(ctx, c, feeders)
}

// stepBack finds the entities of the hop before that lead to some others.
func (f *pathFinder) stepBack(ctx context.Context, c *Service, urns []string, degree int) (map[string][]string, error) {
	if degree == 0 || len(urns) == 0 {
		return nil, nil
	}
	if len(f.walk.degrees) > tracedAtOnce {
		return c.feeders(ctx, &f.walk.Query, f.walk.level(degree-1), urns, f.candidates())
	}
	if f.known == nil {
		if err := f.traceAll(ctx, c); err != nil {
			return nil, err
		}
	}
	feeders := make(map[string][]string, len(urns))
	for _, urn := range urns {
		feeders[urn] = f.known[urn]
	}
	return feeders, nil
}

// candidates is how many entities of the hop before are looked at.
func (f *pathFinder) candidates() int {
	if f.walk.Query.From != 0 || f.walk.Query.To != 0 {
		return 0 // their edges may be outside of the time
	}
	return f.most
}

// traceAll finds what leads to each entity of a small walk.
func (f *pathFinder) traceAll(ctx context.Context, c *Service) error {
	all := slices.Sorted(maps.Keys(f.walk.degrees))
	known, err := c.feeders(ctx, &f.walk.Query, all, all, 0)
	if err != nil {
		return err
	}
	f.known = make(map[string][]string, len(known))
	for urn, feeders := range known {
		feeders = slices.DeleteFunc(feeders, func(from string) bool { return f.walk.degrees[from] != f.walk.degrees[urn]-1 })
		if most := f.candidates(); most > 0 && len(feeders) > most {
			feeders = feeders[:most]
		}
		f.known[urn] = feeders
	}
	return nil
}

// link reads the edges to entities from those of the hop before.
func (f *pathFinder) link(ctx context.Context, c *Service, feeders map[string][]string) error {
	var pairs []graphstore.Pair
	for urn, some := range feeders {
		for _, from := range some {
			pairs = append(pairs, graphstore.Pair{From: from, To: urn})
		}
	}
	links, err := c.linksBetween(ctx, &f.walk.Query, pairs)
	if err != nil {
		return err
	}
	for urn, some := range feeders {
		for _, from := range some { // in the order of their URNs
			between := links[graphstore.Pair{From: from, To: urn}]
			for i := range between[:min(len(between), f.most-len(f.before[urn]))] {
				f.before[urn] = append(f.before[urn], &between[i].Link)
			}
		}
	}
	return nil
}

// linksWithin lists the edges of a walk that lead from some entities to some others, which
// are listed one after the other.
func (s *Service) linksWithin(ctx context.Context, walk *Walk, from, to []string) ([]Link, error) {
	feeders, err := s.feeders(ctx, &walk.Query, from, distinct(to), 0)
	if err != nil {
		return nil, err
	}
	return s.linksFrom(ctx, walk, feeders, to)
}

// linksFrom lists the edges of a walk that lead to entities, one after the other, from those
// that lead to each.
func (s *Service) linksFrom(ctx context.Context, walk *Walk, feeders map[string][]string, to []string) ([]Link, error) {
	var pairs []graphstore.Pair
	for urn, some := range feeders {
		for _, near := range some {
			pairs = append(pairs, graphstore.Pair{From: near, To: urn})
		}
	}
	links, err := s.linksBetween(ctx, &walk.Query, pairs)
	if err != nil {
		return nil, err
	}
	edges := []Link{}
	for _, urn := range to {
		var own []tracedLink
		for _, near := range feeders[urn] { // in the order of their URNs
			own = append(own, links[graphstore.Pair{From: near, To: urn}]...)
		}
		slices.SortStableFunc(own, func(a, b tracedLink) int {
			return cmp.Or(statedFirst(&a, &b), cmp.Compare(a.Type, b.Type))
		})
		for i := range own {
			edges = append(edges, own[i].Link)
		}
	}
	return edges, nil
}
