package removal

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// PipelineEntity is an entity that a pipeline has written. Seen is when the pipeline last stated anything of it, equal
// writes included, and Created when it wrote the newest of these values, epoch milliseconds; Run is the run of that value.
type PipelineEntity struct {
	URN, Run      string
	Created, Seen int64
}

// pipelineEntitiesAtOnce is how many entities are read at once.
const pipelineEntitiesAtOnce = 200

// EntitiesOfPipeline returns the entities of which a pipeline has stated something that is current, ordered by URN. It
// leaves out removed entities, and entities that no source ever removes: queries, runs, and entities that belong to no
// source, such as people. The answer is partial if the pipeline has written more than limits.PipelineEntities, or if it
// has more runs than limits.MaxPageCount.
func (s *Service) EntitiesOfPipeline(ctx context.Context, pipeline string) (found []PipelineEntity, partial bool, err error) {
	runs, stored, _, err := s.allRuns(ctx, &RunsRequest{Pipeline: pipeline, WithoutRemoved: true})
	if err != nil {
		return nil, false, err
	}
	partial = len(runs) >= MaxRunPage
	if runs, err = s.ofPipeline(ctx, runs, stored, pipeline); err != nil {
		return nil, false, err
	}
	known := map[string]bool{}
	for i := range runs {
		for next := ""; ; {
			rows, after, err := s.store.Rows(ctx, graphstore.RowQuery{Origin: graphstore.Origin{RunID: runs[i].RunID}, After: next, Limit: catalog.MaxPage})
			if err != nil {
				return nil, false, catalog.StoreFailure(err)
			}
			for k := range rows {
				if !rows[k].Removed && s.ofSources(rows[k].URN) {
					known[rows[k].URN] = true
				}
			}
			if next = after; next == "" || len(known) > limits.PipelineEntities {
				break
			}
		}
	}
	urns := make([]string, 0, len(known))
	for urn := range known {
		urns = append(urns, urn)
	}
	slices.Sort(urns)
	if len(urns) > limits.PipelineEntities {
		urns, partial = urns[:limits.PipelineEntities], true
	}
	for some := range slices.Chunk(urns, pipelineEntitiesAtOnce) {
		if found, err = s.addPipelineEntities(ctx, found, some, pipeline); err != nil {
			return nil, false, err
		}
	}
	return found, partial, nil
}

func (s *Service) addPipelineEntities(ctx context.Context, found []PipelineEntity, urns []string, pipeline string) ([]PipelineEntity, error) {
	stored, err := s.store.LatestAspects(ctx, urns, nil)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	for _, urn := range urns {
		e := PipelineEntity{URN: urn}
		for i := range stored[urn] {
			a := &stored[urn][i]
			if a.System.PipelineName != pipeline {
				continue
			}
			e.Seen = max(e.Seen, a.System.LastObserved, a.CreatedOn)
			if a.CreatedOn > e.Created {
				e.Created, e.Run = a.CreatedOn, a.System.RunID
			}
		}
		if e.Seen > 0 {
			found = append(found, e)
		}
	}
	return found, nil
}

// ofSources reports whether a source that no longer sees an entity ever removes it.
func (s *Service) ofSources(urn string) bool {
	kind := model.StoredURN(urn).EntityType()
	if kind == model.EntityQuery || kind == model.EntityDataProcessInstance {
		return false
	}
	entity, known := s.names.Registry().Entity(kind)
	return known && slices.Contains(entity.Aspects, model.AspectStatus)
}
