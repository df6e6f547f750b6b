package edits

import (
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// lifecycleStage is the member of a status that names the stage of an entity.
const lifecycleStage = "lifecycleStage"

// noStage stands for an entity without a stage, in the list of the stages that may come before
// another stage.
const noStage = "__NONE__"

// SetLifecycleStage puts an entity into a life-cycle stage; the zero URN takes the entity out of
// its stage. The stage must be for entities of the type, and must allow the entity's present stage
// before it.
func (s *Service) SetLifecycleStage(ctx context.Context, urn, stage model.URN, o catalog.WriteOptions) error {
	if err := s.writer.RequireExisting(ctx, urn); err != nil {
		return err
	}
	info := catalog.Tree{}
	if !stage.IsZero() {
		if err := s.requireExisting(ctx, stage, model.EntityLifecycleStageType); err != nil {
			return err
		}
		var err error
		if info, err = s.latest(ctx, stage, model.AspectLifecycleStageTypeInfo); err != nil {
			return err
		}
		if types, limited := info["entityTypes"]; limited && types != nil && !slices.Contains(jsontree.Texts(info, "entityTypes"), urn.EntityType()) {
			return catalog.Errorf(catalog.Invalid, "The life-cycle stage %s is not for entities of type %s, but for: %s", stage, urn.EntityType(), strings.Join(jsontree.Texts(info, "entityTypes"), ", "))
		}
	}
	return s.writer.Edit(ctx, []write.Edit{{URN: urn, Aspect: model.AspectStatus, Change: func(status catalog.Tree, by catalog.AuditStamp) error {
		if err := s.checkTransition(info, stage, jsontree.Text(status, lifecycleStage)); err != nil {
			return err
		}
		if stage.IsZero() {
			delete(status, lifecycleStage)
		} else {
			status[lifecycleStage] = stage.String()
		}
		status["removed"] = status["removed"] == true
		status["lifecycleLastUpdated"] = by.Tree()
		return nil
	}}}, o)
}

// checkTransition fails unless a stage may follow the present stage. If the entity has no
// stage, before is "".
func (s *Service) checkTransition(info catalog.Tree, stage model.URN, before string) error {
	policy := jsontree.Member(info, "transitionPolicy")
	if allowed, limited := policy["allowedPreviousStages"]; !limited || allowed == nil || s.names.SameURN(before, stage) {
		return nil
	}
	allowed := jsontree.Texts(policy, "allowedPreviousStages")
	if slices.ContainsFunc(allowed, func(previous string) bool {
		if before == "" {
			return strings.HasSuffix(previous, ":"+noStage)
		}
		return s.names.Spelled(previous) == s.names.Spelled(before)
	}) {
		return nil
	}
	if before == "" {
		before = "no stage"
	}
	return catalog.Errorf(catalog.Invalid, "The life-cycle stage %s does not follow %s, but: %s", stage, before, strings.Join(allowed, ", "))
}

// editRemoved sets the soft-delete mark of an entity, which keeps its life-cycle stage.
func editRemoved(urn model.URN, removed bool) write.Edit {
	return write.Edit{URN: urn, Aspect: model.AspectStatus, Change: func(status catalog.Tree, _ catalog.AuditStamp) error {
		status["removed"] = removed
		return nil
	}}
}
