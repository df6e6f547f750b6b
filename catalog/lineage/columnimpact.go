package lineage

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

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
	// certain contains the entities that column-level lineage leads to, with
	// their columns and distances.
	certain map[string]*columnEffect
	degrees map[string]int
	// effects are the entities found, and before the edge by which each was first
	// found from an affected one.
	effects map[string]*columnEffect
	before  map[string]Link
	// stated are the edges between columns by which jobs that state them are affected.
	stated  map[string]Link
	reached []Reached
	// cut says why there may be more entities, full that no more are added.
	cut  graphstore.Cut
	full bool
}

// columnImpact follows a column, and also the entities that derive from an
// affected entity without stating from which columns.
func (s *Service) columnImpact(ctx context.Context, impact *Impact, ways *impactWays, q WalkQuery) ([]Reached, map[string]*columnEffect, error) {
	if q.Direction != Downstream {
		return nil, nil, catalog.Errorf(catalog.Invalid, "the impact of a column can only be followed downstream")
	}
	loss := &columnLoss{c: s, query: q, certain: map[string]*columnEffect{}, degrees: map[string]int{}, effects: map[string]*columnEffect{}, before: map[string]Link{}, stated: map[string]Link{}}
	walk, err := s.Walk(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	if err := loss.followColumns(ctx, walk); err != nil {
		return nil, nil, err
	}
	loss.cut = walk.cut
	if err := loss.followEntities(ctx, assetOfURN(q.URN)); err != nil {
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
func (l *columnLoss) followEntities(ctx context.Context, start string) error {
	seen := map[string]bool{start: true}
	l.effects[start] = &columnEffect{effect: EffectCertain} // where the column is; it is not listed
	frontier := []string{start}
	for degree := 1; len(frontier) > 0 && degree <= maxHops && (l.query.MaxHops == 0 || degree <= l.query.MaxHops); degree++ {
		next, err := l.nextEntities(ctx, frontier, seen)
		if err != nil {
			return err
		}
		if frontier, err = l.add(ctx, next, degree); err != nil || l.full {
			return err
		}
	}
	return l.addUnlinked(ctx, seen)
}

// nextEntities decides which entities of one hop are affected. It reads some
// entities at a time, and stops when more are reached than allowed.
func (l *columnLoss) nextEntities(ctx context.Context, frontier []string, seen map[string]bool) ([]string, error) {
	var next []string
	for some := range slices.Chunk(frontier, hopEntities) {
		more, err := l.someEntities(ctx, some, seen, hopEdges, &next)
		if err != nil {
			return nil, err
		}
		for _, urn := range more {
			rest, err := l.someEntities(ctx, []string{urn}, seen, catalog.MaxPage, &next)
			if err != nil {
				return nil, err
			}
			if len(rest) > 0 {
				l.cut = graphstore.CutByLimit
			}
		}
		if !l.query.WithoutRemoved && len(next) > l.query.Reach-len(l.reached) {
			break // add notices that there is more
		}
	}
	slices.Sort(next)
	return next, nil
}

// someEntities decides which entities the edges of some others affect. It reads
// a limited number of edges of each and returns the entities that have more. A
// decision stands when the edge is read again.
func (l *columnLoss) someEntities(ctx context.Context, frontier []string, seen map[string]bool, edges int, next *[]string) (more []string, err error) {
	q := l.query
	q.Columns = false
	hop := l.c.hopOf(Downstream, &q)
	hop.most = edges
	if err := hop.readEdges(ctx, frontier); err != nil {
		return nil, err
	}
	var unknown []string
	for _, from := range frontier {
		if hop.totals[from] > len(hop.edges[from]) {
			more = append(more, from)
		}
		for _, edge := range hop.edges[from] {
			contained := edge.Type == model.RelationshipContains // a dashboard is affected as its chart is
			if known := l.effects[edge.Entity]; contained && known != nil && l.effects[from].effect == EffectCertain {
				known.effect = EffectCertain // another chart of the dashboard is certainly affected
			}
			if seen[edge.Entity] && (!contained || l.effects[edge.Entity] != nil) {
				continue
			}
			seen[edge.Entity] = true
			if _, known := l.before[edge.Entity]; !known {
				l.before[edge.Entity] = lineageLink(from, &edge, Downstream)
			}
			switch {
			case l.certain[edge.Entity] != nil:
				l.effects[edge.Entity] = l.certain[edge.Entity]
				*next = append(*next, edge.Entity)
			case contained:
				l.effects[edge.Entity] = &columnEffect{effect: l.effects[from].effect}
				*next = append(*next, edge.Entity)
			default:
				unknown = append(unknown, edge.Entity)
			}
		}
	}
	silent, err := l.c.withoutColumnLineage(ctx, unknown)
	for _, urn := range silent {
		if l.effects[urn] == nil { // and not the dashboard of a chart
			l.effects[urn] = &columnEffect{effect: EffectPossible}
			*next = append(*next, urn)
		}
	}
	return more, err
}

// add looks up affected entities and returns those to continue from.
func (l *columnLoss) add(ctx context.Context, urns []string, degree int) ([]string, error) {
	reached, err := l.c.lookUpReached(ctx, urns, degree, l.query.WithoutRemoved)
	if err != nil {
		return nil, err
	}
	if room := l.query.Reach - len(l.reached); len(reached) > room {
		reached, l.cut, l.full = reached[:room], graphstore.CutByLimit, true
	}
	l.reached = append(l.reached, reached...)
	on := make([]string, len(reached))
	for i, r := range reached {
		on[i] = r.URN
	}
	return on, nil
}

// addUnlinked adds the entities that only column-level lineage leads to.
func (l *columnLoss) addUnlinked(ctx context.Context, seen map[string]bool) error {
	var urns []string
	for urn, e := range l.certain {
		if !seen[urn] {
			l.effects[urn] = e
			urns = append(urns, urn)
		}
	}
	slices.Sort(urns)
	from := len(l.reached)
	if _, err := l.add(ctx, urns, 0); err != nil {
		return err
	}
	for i := range l.reached[from:] {
		l.reached[from+i].Degree = l.degrees[l.reached[from+i].URN]
	}
	slices.SortStableFunc(l.reached, func(a, b Reached) int { return cmp.Or(cmp.Compare(a.Degree, b.Degree), cmp.Compare(a.URN, b.URN)) })
	return nil
}

// withoutColumnLineage returns those of the entities that do not state which
// columns they derive from.
func (s *Service) withoutColumnLineage(ctx context.Context, urns []string) ([]string, error) {
	if len(urns) == 0 {
		return nil, nil
	}
	stored, err := s.store.LatestAspects(ctx, urns, []string{model.AspectUpstreamLineage, model.AspectDataJobInputOutput, model.AspectInputFields})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	var silent []string
	for _, urn := range urns {
		if !slices.ContainsFunc(stored[urn], statesColumns) {
			silent = append(silent, urn)
		}
	}
	return silent, nil
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
