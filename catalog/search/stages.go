package search

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// LifecycleStages returns the defined life-cycle stages, ordered by URN.
func (s *Service) LifecycleStages(ctx context.Context) ([]model.URN, error) {
	if err := s.catchUp(ctx); err != nil {
		return nil, err
	}
	return s.stages(ctx)
}

// stages reads the life-cycle stages from the index, without waiting for it.
func (s *Service) stages(ctx context.Context) ([]model.URN, error) {
	if s.index == nil {
		return nil, catalog.ErrNoIndex
	}
	defined := indexer.And{
		indexer.In{Field: indexer.FieldType, Values: []string{model.EntityLifecycleStageType}},
		indexer.In{Field: indexer.FieldRemoved, Values: []string{"false"}},
	}
	found, err := s.index.Search(ctx, &indexer.Query{Filter: defined, Size: limits.MaxLifecycleStages, Plain: true, Sort: []indexer.Sort{{Field: indexer.FieldURN}}})
	s.follower.Sighted(err)
	if err != nil {
		return nil, follower.Failure(err)
	}
	urns := make([]model.URN, len(found.Hits))
	for i := range found.Hits {
		urns[i] = model.StoredURN(found.Hits[i].URN)
	}
	return urns, nil
}

// hidingStage is a life-cycle stage that hides entities from searches.
type hidingStage struct {
	urn string
	// types are the types of the entities that may be in the stage; nil means all.
	types *[]string
}

// hidingStages reads the life-cycle stages that hide entities. Few catalogs have stages, so
// hidingStages asks the index first, and reads the store only if there are any.
func (s *Service) hidingStages(ctx context.Context) ([]hidingStage, error) {
	ctx = s.whole(ctx)
	hiding := []hidingStage{}
	stages, err := s.stages(ctx)
	if err != nil || len(stages) == 0 {
		return hiding, err
	}
	infos, err := s.reader.Entities(ctx, stages, []string{model.AspectLifecycleStageTypeInfo})
	if err != nil {
		return nil, err
	}
	for _, stage := range stages {
		stored, ok := infos[stage.String()].Aspects[model.AspectLifecycleStageTypeInfo]
		if !ok {
			continue
		}
		var info struct {
			EntityTypes *[]string `json:"entityTypes"`
			Settings    struct {
				HideInSearch bool `json:"hideInSearch"`
			} `json:"settings"`
		}
		if err := json.Unmarshal(stored.Value, &info); err != nil {
			return nil, catalog.Errorf(catalog.Internal, "the life-cycle stage %s: %w", stage, err)
		}
		if info.Settings.HideInSearch {
			hiding = append(hiding, hidingStage{stage.String(), info.EntityTypes})
		}
	}
	return hiding, nil
}

// hideStages sets the life-cycle stages whose entities a search hides.
func (s *Service) hideStages(ctx context.Context, scope *searchScope) (err error) {
	if _, ok := scope.field(stageField); !ok {
		return nil
	}
	hiding, read := ctx.Value(caughtUpKey{}).([]hidingStage)
	if !read {
		if hiding, err = s.hidingStages(ctx); err != nil {
			return err
		}
	}
	for _, stage := range hiding {
		if stage.types == nil || slices.ContainsFunc(*stage.types, scope.searches) {
			scope.hidden = append(scope.hidden, stage.urn)
		}
	}
	return nil
}

// searches reports whether the scope includes an entity type.
func (s *searchScope) searches(entityType string) bool { return slices.Contains(s.types, entityType) }
