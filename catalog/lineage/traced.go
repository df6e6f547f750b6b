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

// tracedAtOnce bounds the entities of a walk whose hops are all read in one store call. Tests
// lower it.
var tracedAtOnce = 300

// hopSteps returns the steps of lineage in the direction of a walk, including the step between
// columns.
func (s *Service) hopSteps(q *WalkQuery) []graphstore.Step {
	steps := s.upstreamSteps
	if q.Direction != Upstream {
		steps = s.downstreamSteps
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
	return append(slices.Clip(steps), about...)
}

// stepsOf returns the steps of lineage upstream or downstream, including the step between columns.
func stepsOf(registry *model.Registry, upstream bool) []graphstore.Step {
	var steps []graphstore.Step
	for _, kind := range append(registry.LineageKinds(), model.ColumnLineage()) {
		step := graphstore.Step{EdgeKind: graphKind(kind.EdgeKind)}
		if kind.Upstream != upstream {
			step.Direction = graphstore.Incoming
		}
		steps = append(steps, step)
	}
	return steps
}

// tracedLink is an edge between the two ends of a hop. stated tells that the source of the
// stored edge is the end farther from the start of the walk.
type tracedLink struct {
	Link
	stated bool
}

// linksBetween reads the edges of pairs, each from the end nearer to the start of a walk to the
// farther end. linksBetween returns only edges within the time of the query. Edges of one type
// are in the order in which the farther end has them: the edges that leave it are first.
func (s *Service) linksBetween(ctx context.Context, walk *Walk, pairs []graphstore.Pair) (map[graphstore.Pair][]tracedLink, error) {
	q := &walk.Query
	steps := s.hopSteps(q)
	found, err := s.store.EdgesBetween(ctx, graphstore.PairQuery{Pairs: pairs, Steps: steps, AsOf: q.AsOf})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	hop := s.hopOf(q.Direction, q)
	links := make(map[graphstore.Pair][]tracedLink, len(found))
	for pair, edges := range found {
		if walk.leavesOut(pair) {
			continue
		}
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

// directionOf returns the direction in which a step follows an edge between the entities of a
// pair. For an edge from an entity to itself, the kind of the edge decides.
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

// feeders finds the entities of from that lead to each entity of to in one hop. If statedBy
// lists types, only edges stated by entities of these types count.
func (s *Service) feeders(ctx context.Context, q *WalkQuery, from, to []string, most int, statedBy ...string) (map[string][]string, error) {
	if len(from) == 0 || len(to) == 0 {
		return nil, nil
	}
	found, err := s.store.Feeders(ctx, graphstore.FeederQuery{From: from, To: to, Steps: s.hopSteps(q), Most: most, AsOf: q.AsOf, StatedBy: statedBy})
	return found, catalog.StoreFailure(err)
}

// level returns the entities at a distance, ordered by URN.
func (w *Walk) level(degree int) []string {
	var level []string
	if degree > 0 && len(w.Reached) > 0 && len(w.twins) == 0 {
		for at := w.placeOf(degree, ""); at < len(w.Reached) && w.Reached[at].Degree == degree; at++ {
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

// placeOf returns the index in Reached of the first entity that is not before a degree and URN.
func (w *Walk) placeOf(degree int, urn string) int {
	at, _ := slices.BinarySearchFunc(w.Reached, urn, func(r Reached, urn string) int {
		return cmp.Or(cmp.Compare(r.Degree, degree), cmp.Compare(r.URN, urn))
	})
	return at
}

// reachedFrom returns up to most entities of the hop before that lead to an entity. It returns
// false if the walk itself has not recorded them.
func (w *Walk) reachedFrom(urn string, degree, most int) ([]string, bool) {
	at := w.placeOf(degree, urn)
	if at == len(w.Reached) || w.Reached[at].URN != urn {
		return nil, false
	}
	r := &w.Reached[at]
	return []string{r.Before}, r.Before != "" && (most == 1 || !r.Others)
}

// readBack reads the edges that lead to entities of one distance from the hop before.
func (f *pathFinder) readBack(ctx context.Context, c *Service, urns []string, degree int) error {
	feeders, err := f.stepBack(ctx, c, urns, degree)
	if err != nil {
		return err
	}
	return f.link(ctx, c, feeders)
}

// stepBack finds, for each entity, the entities of the hop before that lead to it.
func (f *pathFinder) stepBack(ctx context.Context, c *Service, urns []string, degree int) (map[string][]string, error) {
	if degree == 0 || len(urns) == 0 {
		return nil, nil
	}
	feeders := make(map[string][]string, len(urns))
	var open []string
	for _, urn := range urns {
		if from, told := f.walk.reachedFrom(urn, degree, f.candidates()); told {
			feeders[urn] = from
		} else {
			open = append(open, urn)
		}
	}
	if len(open) == 0 {
		return feeders, nil
	}
	if len(f.walk.degrees) > tracedAtOnce {
		found, err := c.feeders(ctx, &f.walk.Query, f.walk.level(degree-1), open, f.candidates())
		maps.Copy(feeders, found)
		return feeders, err
	}
	if f.known == nil {
		if err := f.traceAll(ctx, c); err != nil {
			return nil, err
		}
	}
	for _, urn := range open {
		feeders[urn] = f.known[urn]
	}
	return feeders, nil
}

// candidates returns how many entities of the hop before are read for each entity; 0 means all.
func (f *pathFinder) candidates() int {
	if f.walk.Query.From != 0 || f.walk.Query.To != 0 {
		return 0 // the edges of some candidates may be outside the time of the query
	}
	return f.most
}

// traceAll finds, for a small walk, the entities that lead to each entity.
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

// link reads the edges to entities from their feeders.
func (f *pathFinder) link(ctx context.Context, c *Service, feeders map[string][]string) error {
	pairs := make([]graphstore.Pair, 0, len(feeders))
	for urn, some := range feeders {
		for _, from := range some {
			pairs = append(pairs, graphstore.Pair{From: from, To: urn})
		}
	}
	links, err := c.linksBetween(ctx, f.walk, pairs)
	if err != nil {
		return err
	}
	for urn, some := range feeders {
		for _, from := range some { // feeders are ordered by URN
			between := links[graphstore.Pair{From: from, To: urn}]
			for i := range between[:min(len(between), f.most-len(f.before[urn]))] {
				f.before[urn] = append(f.before[urn], &between[i].Link)
			}
		}
	}
	return nil
}

// linksWithin lists the edges of a walk that lead from entities of from to entities of to. The
// edges are in the order of to.
func (s *Service) linksWithin(ctx context.Context, walk *Walk, from, to []string) ([]Link, error) {
	feeders, err := s.feeders(ctx, &walk.Query, from, distinct(to), 0)
	if err != nil {
		return nil, err
	}
	return s.linksFrom(ctx, walk, feeders, to)
}

// linksFrom lists the edges of a walk that lead to entities from their feeders, in the order of
// to.
func (s *Service) linksFrom(ctx context.Context, walk *Walk, feeders map[string][]string, to []string) ([]Link, error) {
	var pairs []graphstore.Pair
	for urn, some := range feeders {
		for _, near := range some {
			pairs = append(pairs, graphstore.Pair{From: near, To: urn})
		}
	}
	links, err := s.linksBetween(ctx, walk, pairs)
	if err != nil {
		return nil, err
	}
	edges := []Link{}
	for _, urn := range to {
		var own []tracedLink
		for _, near := range feeders[urn] { // feeders are ordered by URN
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
