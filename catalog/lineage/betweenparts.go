package lineage

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// betweenParts connects a column and an entity. Data of the column reaches the entity if it
// reaches a column of the entity, or a column of a part of the entity, such as a chart of a
// dashboard. Without such a path, betweenParts returns the path of the column's impact, which
// also leads over entities that state no columns. Upstream, only columns lead to an entity.
func (s *Service) betweenParts(ctx context.Context, column, entity model.URN, r BetweenRequest) (*Between, error) {
	if r.Most < 0 || r.Most > MaxPaths {
		return nil, catalog.Errorf(catalog.Invalid, "a request may ask for 0 to %d paths of each entity", MaxPaths)
	}
	found := &Between{}
	for _, direction := range []string{Downstream, Upstream} {
		walk, err := s.walk(ctx, WalkQuery{URN: column, Direction: direction, AsOf: r.AsOf, paths: true})
		if err != nil {
			return nil, err
		}
		inside := map[string]int{entity.String(): 0}
		if direction == Downstream {
			if inside, err = s.containedIn(ctx, entity, r.AsOf); err != nil {
				return nil, err
			}
		}
		if found.Paths, err = s.throughColumns(ctx, walk, entity, inside, r); err != nil {
			return nil, err
		}
		if len(found.Paths) > 0 {
			found.Direction, found.Partial, found.Reason = direction, false, ""
			return found, nil
		}
		if walk.Partial() {
			found.Partial, found.Reason = true, walk.Reason()
		}
		if direction == Downstream {
			if affected, err := s.throughImpact(ctx, column, entity, r); err != nil || affected != nil {
				return affected, err
			}
		}
	}
	for _, urn := range []model.URN{column, entity} {
		if err := s.requireKnown(ctx, urn); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// containedIn returns the entity and the entities that it contains, each with its number of
// steps from the entity.
func (s *Service) containedIn(ctx context.Context, entity model.URN, asOf int64) (map[string]int, error) {
	q := WalkQuery{URN: entity, Direction: Upstream, AsOf: asOf}
	contain := slices.DeleteFunc(s.steps(&q), func(step graphstore.Step) bool {
		return step.Type != model.RelationshipContains && step.Type != model.RelationshipDashboardContainsDashboard
	})
	walked, err := s.store.Walk(ctx, graphstore.WalkQuery{From: []string{entity.String()}, Steps: contain, Limit: limits.DefaultReach, AsOf: asOf, Patience: walkPatience})
	if errors.Is(err, graphstore.ErrImpatient) {
		return nil, catalog.Errorf(catalog.Timeout, "the walk took longer than %v", walkPatience)
	}
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	inside := map[string]int{entity.String(): 0}
	for _, v := range walked.Visits {
		inside[v.URN] = v.Degree
	}
	return inside, nil
}

// throughColumns returns the shortest paths along columns to an entity, or to one of its parts
// and from there to the entity.
func (s *Service) throughColumns(ctx context.Context, walk *Walk, entity model.URN, inside map[string]int, r BetweenRequest) ([][]PathStep, error) {
	shortest, ends := -1, []string{}
	for _, urn := range slices.Sorted(maps.Keys(walk.degrees)) {
		depth, known := inside[assetOf(urn)]
		if !known {
			continue
		}
		length := walk.degrees[urn] + depth
		if shortest < 0 || length < shortest {
			shortest, ends = length, nil
		}
		if length == shortest {
			ends = append(ends, urn)
		}
	}
	slices.SortStableFunc(ends, func(a, b string) int { return cmp.Compare(inside[assetOf(a)], inside[assetOf(b)]) })
	ends = ends[:min(len(ends), r.Most)]
	columns, err := s.Paths(ctx, walk, ends, r.Most)
	if err != nil {
		return nil, err
	}
	assets := make([]string, len(ends))
	for i, end := range ends {
		assets[i] = assetOf(end)
	}
	// The path from the entity to its part is walked from the entity and then reversed.
	within := &Walk{Query: WalkQuery{URN: entity, Direction: Upstream, AsOf: r.AsOf}, Starts: []string{entity.String()}, degrees: inside}
	containing, err := s.Paths(ctx, within, distinct(assets), 1)
	if err != nil {
		return nil, err
	}
	var paths [][]PathStep
	for i, end := range ends {
		for _, path := range columns[end] {
			steps := path.Steps()
			if out := containing[assets[i]]; len(out) > 0 && len(out[0].Edges) > 0 {
				edges := slices.Clone(out[0].Edges)
				slices.Reverse(edges)
				steps = append(steps, Path{Start: assets[i], Edges: edges, downstream: true}.Steps()[1:]...)
			} else {
				steps = append(steps, PathStep{URN: entity.String()})
			}
			if len(paths) < r.Most {
				paths = append(paths, steps)
			}
		}
	}
	return paths, nil
}

// throughImpact returns the path by which the loss of a column affects an entity, or nil if the
// loss does not affect it.
func (s *Service) throughImpact(ctx context.Context, column, entity model.URN, r BetweenRequest) (*Between, error) {
	request := ImpactRequest{Walk: WalkQuery{URN: column, AsOf: r.AsOf}, Filter: Filter{Types: []string{entity.EntityType()}}, Removed: RemovedShow}
	all, err := s.impactPage(ctx, request, 0, catalog.MaxPage, ImpactParts{})
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all.Rows, func(row ImpactRow) bool { return row.URN == entity.String() })
	if at < 0 {
		return nil, nil
	}
	one, err := s.impactPage(ctx, request, at, 1, ImpactParts{Paths: true})
	if err != nil || len(one.Rows) == 0 || one.Rows[0].URN != entity.String() {
		return nil, err
	}
	found := &Between{Direction: Downstream, Possible: one.Rows[0].Effect == EffectPossible}
	if path := one.Rows[0].Path; len(path) > 0 && r.Most > 0 {
		found.Paths = [][]PathStep{path}
	}
	return found, nil
}

// turned returns the same connection with its two ends exchanged.
func (b *Between) turned() *Between {
	turned := *b
	if b.Direction != "" {
		turned.Direction = opposite(b.Direction)
	}
	turned.Paths = nil
	for _, path := range b.Paths {
		back := make([]PathStep, len(path))
		for i := range path {
			back[len(path)-1-i].URN = path[i].URN
			if i > 0 {
				back[len(path)-i].Edge = path[i].Edge
			}
		}
		turned.Paths = append(turned.Paths, back)
	}
	return &turned
}
