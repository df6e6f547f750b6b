package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// Status says whether an entity is soft-deleted, and in which stage of its life it is.
type Status struct {
	Removed bool   `json:"removed"`
	Stage   string `json:"lifecycleStage"`
	stage   *Node
}

func (s *Status) complete(_ *Node, below *Batch) { s.stage = stageNode(below, s.Stage) }

// LifecycleStage is the stage of the entity's life, nil if it is in none.
func (s *Status) LifecycleStage(ctx context.Context) (*LifecycleStageType, error) {
	if s.stage == nil {
		return nil, nil
	}
	return aspect[LifecycleStageType](ctx, s.stage, model.AspectLifecycleStageTypeInfo)
}

// stageNode is the node of a life-cycle stage, nil for other URNs.
func stageNode(batch *Batch, urn string) *Node {
	if urn == "" {
		return nil
	}
	stage, ok := batch.Entity(urn).(*OtherEntity)
	if !ok || stage.entityType() != model.EntityLifecycleStageType {
		return nil
	}
	return stage.Node
}

// LifecycleStageType is a stage in the life of entities.
type LifecycleStageType struct {
	URN         string   `json:"-"`
	Name        string   `json:"name"`
	Description *string  `json:"description"`
	EntityTypes []string `json:"entityTypes"`
	Settings    struct {
		HideInSearch bool `json:"hideInSearch"`
	} `json:"settings"`
	TransitionPolicy struct {
		AllowedPreviousStages []string `json:"allowedPreviousStages"`
	} `json:"transitionPolicy"`
}

func (t *LifecycleStageType) complete(n *Node, _ *Batch) { t.URN = n.URN }

// HideInSearch says whether searches hide the entities that are in the stage.
func (t *LifecycleStageType) HideInSearch() bool { return t.Settings.HideInSearch }

// AllowedPreviousStages are the stages that may come directly before this stage, nil if all
// may.
func (t *LifecycleStageType) AllowedPreviousStages() []string {
	return t.TransitionPolicy.AllowedPreviousStages
}

// LifecycleStages are the life-cycle stages that are defined.
func (s *Session) LifecycleStages(ctx context.Context) ([]*LifecycleStageType, error) {
	var nodes []*Node
	batch := s.NewBatch()
	err := s.turn(ctx, func() (int, error) {
		urns, err := s.Catalog.Search.LifecycleStages(ctx)
		for _, urn := range urns {
			nodes = append(nodes, stageNode(batch, urn.String()))
		}
		return len(urns), err
	})
	if err != nil {
		return nil, err
	}
	stages := []*LifecycleStageType{}
	for _, node := range nodes {
		stage, err := aspect[LifecycleStageType](ctx, node, model.AspectLifecycleStageTypeInfo)
		if err != nil {
			return nil, err
		}
		if stage != nil {
			stages = append(stages, stage)
		}
	}
	return stages, nil
}
