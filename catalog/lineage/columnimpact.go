package lineage

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// columnEffect is the effect on an entity when a column is lost.
type columnEffect struct {
	effect  string
	columns []string
}

// columnLoss finds the entities that are affected when a column is lost.
type columnLoss struct {
	c     *Service
	query WalkQuery
	// expires is when it stops.
	expires time.Time
	// certain contains the entities that column-level lineage leads to, with
	// their columns and distances.
	certain map[string]*columnEffect
	degrees map[string]int
	// effects are the entities found, and seen also those found not to be affected.
	// The walk has the former with their distances, as far as edges between entities
	// lead to them.
	effects map[string]*columnEffect
	seen    map[string]bool
	walk    *Walk
	// stated are the edges between columns by which jobs that state them are affected.
	stated  map[string]Link
	reached []Reached
	// cut says why there may be more entities, full that no more are added.
	cut  graphstore.Cut
	full bool
}

func (s *Service) newColumnLoss(q WalkQuery) *columnLoss {
	start := assetOfURN(q.URN)
	l := &columnLoss{
		c: s, query: q, expires: s.now().Add(walkPatience), certain: map[string]*columnEffect{}, degrees: map[string]int{}, stated: map[string]Link{},
		effects: map[string]*columnEffect{start: {effect: EffectCertain}}, // where the column is; it is not listed
		seen:    map[string]bool{start: true},
		walk:    &Walk{Query: q, Starts: []string{start}, degrees: map[string]int{start: 0}},
	}
	l.query.Columns, l.walk.Query.Columns = false, false
	return l
}

// columnImpact follows a column, and also the entities that derive from an
// affected entity without stating from which columns.
func (s *Service) columnImpact(ctx context.Context, impact *Impact, ways *impactWays, q WalkQuery) ([]Reached, map[string]*columnEffect, error) {
	if q.Direction != Downstream {
		return nil, nil, catalog.Errorf(catalog.Invalid, "the impact of a column can only be followed downstream")
	}
	if q.From != 0 || q.To != 0 || q.MergeSiblings {
		return nil, nil, catalog.Errorf(catalog.Invalid, "the impact of a column cannot have a time window or merge siblings")
	}
	loss := s.newColumnLoss(q)
	walk, err := s.Walk(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	if err := loss.followColumns(ctx, walk); err != nil {
		return nil, nil, err
	}
	loss.cut = walk.cut
	if err := loss.followEntities(ctx); err != nil {
		return nil, nil, err
	}
	walk.cut = loss.cut
	ways.walk, ways.loss, impact.Partial, impact.Reason = walk, loss, walk.Partial(), walk.Reason()
	return loss.reached, loss.effects, nil
}

// followColumns records the entities whose columns the walk reached, and the
// jobs that state one of its edges.
func (l *columnLoss) followColumns(ctx context.Context, walk *Walk) error {
	start := assetOfURN(walk.Query.URN)
	note := func(asset string, degree int, column string) {
		if asset == start {
			return
		}
		e := l.certain[asset]
		if e == nil {
			e = &columnEffect{effect: EffectCertain}
			l.certain[asset], l.degrees[asset] = e, degree
		}
		if column != "" && !slices.Contains(e.columns, column) {
			e.columns = append(e.columns, column)
		}
	}
	urns := make([]string, len(walk.Reached))
	for i, r := range walk.Reached {
		urns[i] = r.URN
		note(assetOf(r.URN), r.Degree, columnPath(r.URN))
	}
	for part := range slices.Chunk(urns, catalog.MaxPage) {
		edges, err := l.c.edgesTo(ctx, walk, part)
		if err != nil {
			return err
		}
		for i := range edges {
			for _, owner := range edges[i].StatedBy {
				if model.StoredURN(owner).EntityType() == model.EntityDataJob {
					note(owner, walk.degrees[edges[i].Downstream], "")
					if _, known := l.stated[owner]; !known {
						l.stated[owner] = edges[i]
					}
				}
			}
		}
	}
	return nil
}

// followEntities walks between entities, and continues only from affected ones.
func (l *columnLoss) followEntities(ctx context.Context) error {
	frontier := l.walk.Starts
	for degree := 1; len(frontier) > 0 && !l.full && degree <= maxHops && (l.query.MaxHops == 0 || degree <= l.query.MaxHops); degree++ {
		next, err := l.nextEntities(ctx, frontier)
		if err != nil {
			return err
		}
		frontier = l.add(next, degree)
	}
	return l.addUnlinked(ctx)
}

// lossEntities bounds the entities of which edges and aspects are read at once.
const lossEntities = 5000

// nextEntities decides which entities of one hop are affected. It goes on from some
// entities at a time, and stops when more are reached than allowed.
func (l *columnLoss) nextEntities(ctx context.Context, frontier []string) ([]graphstore.Visit, error) {
	var next []graphstore.Visit
	for some := range slices.Chunk(frontier, lossEntities) {
		if l.c.now().After(l.expires) {
			l.cut, l.full = graphstore.CutByTime, true
			return nil, nil // the last hop would not be whole
		}
		found, err := l.behind(ctx, some)
		if err != nil {
			return nil, err
		}
		if next = append(next, found...); len(next) > l.query.Reach-len(l.reached) {
			break // add notices that there is more
		}
	}
	slices.SortFunc(next, func(a, b graphstore.Visit) int { return cmp.Compare(a.URN, b.URN) })
	return next, nil
}

// behind decides which entities one hop from some affected ones are affected too: those
// that column-level lineage leads to, those that contain an affected one, as a dashboard
// its charts, and those that do not state which columns they derive from.
func (l *columnLoss) behind(ctx context.Context, frontier []string) ([]graphstore.Visit, error) {
	var derive, contain []graphstore.Step
	for _, step := range l.c.steps(&l.query) {
		if step.Type == model.RelationshipContains {
			contain = append(contain, step)
		} else {
			derive = append(derive, step)
		}
	}
	var next []graphstore.Visit
	for _, effect := range []string{EffectCertain, EffectPossible} {
		from := slices.DeleteFunc(slices.Clone(frontier), func(urn string) bool { return l.effects[urn].effect != effect })
		containers, err := l.oneHop(ctx, from, contain)
		if err != nil {
			return nil, err
		}
		for _, v := range containers {
			switch known := l.effects[v.URN]; {
			case known == nil:
				next = append(next, l.affected(v, cmp.Or(l.certain[v.URN], &columnEffect{effect: effect})))
			case effect == EffectCertain:
				known.effect = EffectCertain // another chart of the dashboard is certainly affected
			}
		}
	}
	derived, err := l.oneHop(ctx, frontier, derive)
	if err != nil {
		return nil, err
	}
	var unknown []graphstore.Visit
	for _, v := range derived {
		if l.seen[v.URN] {
			continue
		}
		l.seen[v.URN] = true
		if certain := l.certain[v.URN]; certain != nil {
			next = append(next, l.affected(v, certain))
		} else {
			unknown = append(unknown, v)
		}
	}
	for some := range slices.Chunk(unknown, lossEntities) {
		if len(next) > l.query.Reach-len(l.reached) {
			break
		}
		silent, err := l.c.withoutColumnLineage(ctx, some)
		if err != nil {
			return nil, err
		}
		for _, v := range silent {
			next = append(next, l.affected(v, &columnEffect{effect: EffectPossible}))
		}
	}
	return next, nil
}

// affected notes that an entity is affected.
func (l *columnLoss) affected(v graphstore.Visit, effect *columnEffect) graphstore.Visit {
	l.seen[v.URN], l.effects[v.URN] = true, effect
	return v
}

// oneHop returns the entities one hop from others, as many as there may still be.
func (l *columnLoss) oneHop(ctx context.Context, from []string, steps []graphstore.Step) ([]graphstore.Visit, error) {
	from = slices.DeleteFunc(slices.Clone(from), func(urn string) bool {
		near := typeOf(urn)
		return !slices.ContainsFunc(steps, func(step graphstore.Step) bool { return step.NearType() == near })
	})
	if len(from) == 0 {
		return nil, nil
	}
	found, err := l.c.store.Walk(ctx, graphstore.WalkQuery{
		From: from, Steps: steps, MaxHops: 1, Limit: l.query.Reach + len(l.seen) + 1, AsOf: l.query.AsOf,
		WithoutRemoved: l.query.WithoutRemoved, Patience: walkPatience,
	})
	if errors.Is(err, graphstore.ErrImpatient) {
		return nil, catalog.Errorf(catalog.Timeout, "the walk took longer than %v; ask for fewer hops", walkPatience)
	}
	return found.Visits, catalog.StoreFailure(err)
}

// add lists affected entities, and returns those to continue from.
func (l *columnLoss) add(next []graphstore.Visit, degree int) []string {
	if room := l.query.Reach - len(l.reached); len(next) > room {
		next, l.cut, l.full = next[:room], graphstore.CutByLimit, true
	}
	on := make([]string, len(next))
	for i, v := range next {
		v.Degree, on[i] = degree, v.URN
		l.reached = append(l.reached, Reached(v))
		l.walk.degrees[v.URN] = degree
	}
	return on
}

// addUnlinked adds the entities that only column-level lineage leads to.
func (l *columnLoss) addUnlinked(ctx context.Context) error {
	if l.full {
		return nil
	}
	var urns []string
	for urn, e := range l.certain {
		if !l.seen[urn] {
			l.effects[urn] = e
			urns = append(urns, urn)
		}
	}
	slices.Sort(urns)
	reached, err := l.c.lookUpReached(ctx, urns, 0, l.query.WithoutRemoved)
	if err != nil {
		return err
	}
	if room := l.query.Reach - len(l.reached); len(reached) > room {
		reached, l.cut = reached[:room], graphstore.CutByLimit
	}
	for _, r := range reached {
		r.Degree = l.degrees[r.URN]
		l.reached = append(l.reached, r)
	}
	slices.SortStableFunc(l.reached, func(a, b Reached) int { return cmp.Or(cmp.Compare(a.Degree, b.Degree), cmp.Compare(a.URN, b.URN)) })
	return nil
}

// withoutColumnLineage returns those of the entities that do not state which
// columns they derive from.
func (s *Service) withoutColumnLineage(ctx context.Context, visits []graphstore.Visit) ([]graphstore.Visit, error) {
	var silent []graphstore.Visit
	for some := range slices.Chunk(visits, aspectsAtOnce) {
		stored, err := s.store.LatestAspects(ctx, urnsOf(some), []string{model.AspectUpstreamLineage, model.AspectDataJobInputOutput, model.AspectInputFields})
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		for _, v := range some {
			if !slices.ContainsFunc(stored[v.URN], statesColumns) {
				silent = append(silent, v)
			}
		}
	}
	return silent, nil
}

func urnsOf(visits []graphstore.Visit) []string {
	urns := make([]string, len(visits))
	for i, v := range visits {
		urns[i] = v.URN
	}
	return urns
}

// statesColumns reports whether an aspect states which columns derive from
// which.
func statesColumns(a graphstore.Aspect) bool {
	var stated struct {
		FineGrained []json.RawMessage `json:"fineGrainedLineages"`
		Inputs      []json.RawMessage `json:"inputDatasetFields"`
		Fields      []json.RawMessage `json:"fields"`
	}
	return json.Unmarshal(a.Value, &stated) == nil && len(stated.FineGrained)+len(stated.Inputs)+len(stated.Fields) > 0
}
