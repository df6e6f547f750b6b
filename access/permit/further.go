package permit

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// together reports, for each list of questions, whether all of them are allowed.
func together(ctx context.Context, permissions permission.Set, lists [][]permission.Question) ([]bool, error) {
	all := make([]bool, len(lists))
	questions := slices.Concat(lists...)
	if len(questions) == 0 {
		return all, nil
	}
	allowed, err := permissions.Allowed(ctx, questions)
	if err != nil {
		return nil, err
	}
	for i, list := range lists {
		all[i] = !slices.Contains(allowed[:len(list)], false)
		allowed = allowed[len(list):]
	}
	return all, nil
}

// judgeInstead permits refused edits that rights on other entities permit, as the edit says.
func (j *judgement) judgeInstead(ctx context.Context, permissions permission.Set) error {
	var of []int
	var lists [][]permission.Question
	for i := range j.wants {
		if len(j.wants[i].Instead) == 0 || j.refusals[i] == nil || j.rules[i].Platform != nil {
			continue
		}
		of, lists = append(of, i), append(lists, j.wants[i].Instead)
	}
	allowed, err := together(ctx, permissions, lists)
	for k, may := range allowed {
		if may {
			j.refusals[of[k]] = nil
		}
	}
	return err
}

// judgeLogicalParents decides who may make an entity an instance of a logical model: callers who may change the
// entity and the model. Callers who may change an entity may also make its columns instances of a model. As in the
// reference, so may callers whom a policy about the column permits the change.
func (j *judgement) judgeLogicalParents(ctx context.Context, permissions permission.Set) error {
	var of []int
	var lists [][]permission.Question
	for i := range j.wants {
		w := &j.wants[i]
		if w.Aspect != model.AspectLogicalParent {
			continue
		}
		list := []permission.Question{permission.About(w.URN, j.rules[i].Any...)}
		for _, parent := range logicalParents(w) {
			list = append(list, permission.About(parent, policies.Group(policies.Update, parent.EntityType())...))
		}
		for k := range list {
			list[k].OrColumn = true
		}
		of, lists = append(of, i), append(lists, list)
	}
	allowed, err := together(ctx, permissions, lists)
	for k, may := range allowed {
		j.refusals[of[k]] = nil
		if !may {
			j.refuse(of[k])
		}
	}
	return err
}

// logicalParents returns the logical models that a write names. For a patch, these are all entities in it.
func logicalParents(w *write.Want) []model.URN {
	if w.Patch != nil {
		return catalog.Distinct(patched(w.Patch))
	}
	parent, err := model.ParseURN(jsontree.Text(jsontree.Member(w.Value, "parent"), "destinationUrn"))
	if err != nil {
		return nil // the value names no parent, or is refused elsewhere
	}
	return []model.URN{parent}
}

// judgeServersPolicies refuses writes of policies that are not editable, and writes that make a policy not
// editable, unless the caller may also import: such policies belong to the server, and only copies, imports
// and the server itself write them.
func (s *Service) judgeServersPolicies(ctx context.Context, permissions permission.Set, j *judgement) error {
	var asked []model.URN
	for i := range j.wants {
		if u := j.wants[i].URN; u.EntityType() == model.EntityDataHubPolicy && j.refusals[i] == nil {
			asked = append(asked, u)
		}
	}
	if len(asked) == 0 || permissions.Holds(ctx, imports) {
		return nil
	}
	values, err := s.values(ctx, j, catalog.Distinct(asked), func(string) string { return model.AspectDataHubPolicyInfo })
	if err != nil {
		return err
	}
	for i := range j.wants {
		w := &j.wants[i]
		if w.URN.EntityType() != model.EntityDataHubPolicy || j.refusals[i] != nil {
			continue
		}
		if slices.ContainsFunc(values[w.URN], func(value catalog.Tree) bool { return value["editable"] == false }) ||
			w.Patch != nil && w.Aspect == model.AspectDataHubPolicyInfo && w.Patch.Touches("editable") {
			j.refusals[i] = refusalOf(w, []string{imports})
		}
	}
	return nil
}
