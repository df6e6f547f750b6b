package lineage

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// ColumnOf returns the URN of an entity's column.
func ColumnOf(entity model.URN, path string) (model.URN, error) {
	if entity.EntityType() == model.EntitySchemaField {
		return model.URN{}, catalog.Errorf(catalog.Invalid, "%s is a column itself; give the entity and the path, or the column alone", entity)
	}
	column, err := model.ColumnURN(entity, path)
	if err != nil {
		return model.URN{}, &catalog.Error{Code: catalog.Invalid, Message: err.Error()}
	}
	return column, nil
}

// ImpactRow is an affected entity, with one of the shortest paths to it.
type ImpactRow struct {
	ImpactedEntity
	Path []PathStep
}

// ImpactReport is a page of an impact. Groups, owners and entities of its Impact are not set.
type ImpactReport struct {
	Impact *Impact
	Start  int
	Rows   []ImpactRow
	// Certain and Possible count the entities by their effect. If the request is not about a
	// column, all entities are certain.
	Certain, Possible int
	// Owners groups the nearest limits.MaxOwnedImpact entities, and the entities of the page, by
	// owner; the owner of the most entities is first. The last group has no URN: nobody owns its
	// entities. OwnersOf counts the grouped entities.
	Owners   []OwnerImpact
	OwnersOf int
}

// ImpactParts selects the parts that are read for a page of an impact.
type ImpactParts struct{ Paths, Owners, Basis bool }

// ImpactPage returns a page of the entities that depend on an entity or on a column, the
// nearest first. ImpactPage reads names, owners and paths of the page only.
func (s *Service) ImpactPage(ctx context.Context, r ImpactRequest, start, count int, with ImpactParts) (*ImpactReport, error) {
	if _, err := catalog.PageOf(start, count); err != nil {
		return nil, err
	}
	if count > catalog.MaxPage {
		return nil, catalog.Errorf(catalog.Invalid, "a page of an impact has at most %d entities, not %d", catalog.MaxPage, count)
	}
	leave, err := s.enterWalk(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return s.impactPage(ctx, r, start, count, with)
}

// impactPage does the work of ImpactPage, for a request that has a place among the walks.
func (s *Service) impactPage(ctx context.Context, r ImpactRequest, start, count int, with ImpactParts) (*ImpactReport, error) {
	impact, found, err := s.followImpact(ctx, r)
	if err != nil {
		return nil, err
	}
	report := &ImpactReport{Impact: impact, Start: start}
	if with.Basis {
		if impact.Basis, err = s.basisOfImpact(ctx, impact, found); err != nil {
			return nil, err
		}
	}
	for i := range found.reached {
		if found.effectOn(found.reached[i].URN) == EffectPossible {
			report.Possible++
		} else {
			report.Certain++
		}
	}
	from := min(start, len(found.reached))
	shown := found.reached[from:min(from+count, len(found.reached))]
	if with.Owners {
		if report.Owners, report.OwnersOf, err = s.ownersOfImpact(ctx, found, shown, impact.AsOf); err != nil {
			return nil, err
		}
	}
	some, err := s.affected(ctx, shown, found, impact.AsOf)
	if err != nil {
		return nil, err
	}
	ways := map[string][]PathStep{}
	if with.Paths {
		if ways, err = s.waysTo(ctx, impact.URN, found, some); err != nil {
			return nil, err
		}
	}
	report.Rows = make([]ImpactRow, len(some))
	for i := range some {
		report.Rows[i] = ImpactRow{some[i], ways[some[i].URN]}
	}
	return report, nil
}

// effectOn returns the effect on an affected entity, or "" if the request is not about a
// column.
func (w *impactWays) effectOn(urn string) string {
	if effect := w.effects[urn]; effect != nil {
		return effect.effect
	}
	return ""
}

// waysTo returns one of the shortest ways to each of the entities, from the entity or column of
// the request. If an entity is affected by its columns, the way to it leads from column to
// column and ends with the first column of the entity. The way to any other entity leads only
// over affected entities.
func (s *Service) waysTo(ctx context.Context, start string, w *impactWays, entities []ImpactedEntity) (map[string][]PathStep, error) {
	first := map[string]string{} // entity -> its nearest column that the walk reached
	for _, r := range w.walk.Reached {
		if asset := assetOf(r.URN); first[asset] == "" {
			first[asset] = r.URN
		}
	}
	ends := make(map[string]string, len(entities)) // entity -> the end of its way in the walk
	var reached []string
	for i := range entities {
		if end := w.endOf(entities[i].URN, first); end != "" {
			ends[entities[i].URN] = end
			reached = append(reached, end)
		}
	}
	found, err := s.Paths(ctx, w.walk, distinct(reached), 1)
	if err != nil {
		return nil, err
	}
	steps := make(map[string][]PathStep, len(entities))
	var others []string // the entities to which the walk has no way
	for i := range entities {
		urn := entities[i].URN
		paths := found[ends[urn]]
		switch {
		case len(paths) == 0 && w.loss != nil:
			others = append(others, urn)
		case len(paths) > 0:
			if steps[urn] = paths[0].Steps(); first[urn] == "" { // the entity is a job that states the next edge
				link := w.loss.stated[urn]
				steps[urn] = append(steps[urn], PathStep{URN: urn, Edge: &link})
			}
		}
	}
	if len(others) == 0 {
		return steps, nil
	}
	for _, walk := range []*Walk{w.loss.certain, w.loss.possible} {
		some := slices.DeleteFunc(slices.Clone(others), func(urn string) bool { return w.loss.walkTo(w.loss.effects[urn].effect) != walk })
		if found, err = s.Paths(ctx, walk, some, 1); err != nil {
			return nil, err
		}
		for _, urn := range some {
			if paths := found[urn]; len(paths) > 0 {
				steps[urn] = paths[0].Steps()
				steps[urn][0].URN = start // the way begins with the column, not with its entity
			} else if walk.degrees[urn] == 1 { // the entity is about the column alone
				steps[urn] = []PathStep{{URN: start}, {URN: urn}}
			}
		}
	}
	return steps, nil
}

// endOf returns the column or entity at which the way in the walk to an entity ends, or "" if
// no way leads there. first has the nearest reached column of each entity.
func (w *impactWays) endOf(urn string, first map[string]string) string {
	if w.loss == nil || w.loss.effects[urn].because != BecauseColumns {
		return first[urn]
	}
	if column := first[urn]; column != "" {
		return column
	}
	return w.loss.stated[urn].Upstream
}
