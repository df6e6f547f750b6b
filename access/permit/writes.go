package permit

import (
	"context"
	"errors"
	"slices"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// A Rule says which privileges permit a write.
type Rule struct {
	// Platform lists privileges of the platform. One of them is needed, whatever other privileges the caller
	// has. The other members are then empty.
	Platform []string
	// Any has privileges on the entity. The actor needs one of the privileges.
	Any []string
	// Together lists privileges on the entity that suffice if the caller has all of them.
	Together []string
	// Others lists privileges that suffice if the caller has them on all the entities that the written entity
	// is about.
	Others []string
	// Own: a user needs no privilege for the user's own entity.
	Own bool
}

// operations are the operations that permit each kind of write.
var operations = map[write.WantKind]policies.Operation{
	write.Creates: policies.Create, write.Changes: policies.Update, write.Deletes: policies.Delete,
}

// RuleOf returns the rule of a write.
func RuleOf(w *write.Want) Rule {
	entityType := w.URN.EntityType()
	if privileges, ok := guardedTypes[entityType]; ok {
		return Rule{Platform: privileges}
	}
	if privileges, ok := guarded[w.Aspect]; ok {
		return Rule{Platform: privileges}
	}
	// A column may not be stored before it is edited, so values of columns count as edits.
	edit := w.Edit || entityType == model.EntitySchemaField && w.Kind != write.Deletes
	rule := Rule{
		Any:    slices.Concat(policies.Group(operations[w.Kind], entityType), ofTypes[entityType][w.Kind]),
		Others: byOthers[entityType].privileges,
		Own:    w.Edit && entityType == model.EntityCorpuser && slices.Contains(owned, w.Aspect),
	}
	switch {
	case !edit:
	case len(w.Privileges) > 0:
		rule.Together = w.Privileges
	default:
		rule.Any = slices.Concat(ofEdits[w.Aspect], rule.Any)
	}
	return rule
}

// wanted returns the privileges that a refusal names.
func (r *Rule) wanted() []string {
	if r.Platform != nil {
		return r.Platform
	}
	return slices.Concat(r.Together, r.Any)
}

// Protect decides which writes callers may make. It is the [write.Protect] of a server with authentication.
func (s *Service) Protect(ctx context.Context, wants []write.Want) []error {
	if permission.IsDecided(ctx) {
		return nil
	}
	j := judgement{wants: wants, rules: make([]Rule, len(wants)), refusals: make([]error, len(wants))}
	for i := range wants {
		j.rules[i] = RuleOf(&wants[i])
	}
	caller := requestinfo.CallerOf(ctx)
	permissions := permission.Of(ctx)
	if permissions == nil {
		j.withoutPermissions(caller.Means == requestinfo.ByTopic)
		return j.refusals
	}
	if err := j.judge(ctx, permissions, caller.Actor); err != nil {
		return slices.Repeat([]error{err}, len(wants))
	}
	if err := errors.Join(
		s.judgeByOthers(ctx, permissions, &j), s.judgeViews(ctx, permissions, &j, caller.Actor), j.judgeInstead(ctx, permissions),
		j.judgeLogicalParents(ctx, permissions), s.judgeServersPolicies(ctx, permissions, &j),
	); err != nil {
		return slices.Repeat([]error{err}, len(wants))
	}
	return j.refusals
}

// judgement are the wants of a caller on the way to their refusals.
type judgement struct {
	wants    []write.Want
	rules    []Rule
	refusals []error
}

// permit permits the wants about an entity that need no privilege of the platform.
func (j *judgement) permit(u model.URN) {
	for i := range j.wants {
		if j.wants[i].URN == u && j.rules[i].Platform == nil {
			j.refusals[i] = nil
		}
	}
}

func (j *judgement) refuse(i int) {
	privileges := j.rules[i].wanted()
	if j.wants[i].URN.EntityType() == model.EntityDataHubView {
		privileges = append(slices.Clone(privileges), manageViews) // which judgeViews asks for
	}
	j.refusals[i] = refusalOf(&j.wants[i], privileges)
}

// withoutPermissions decides for callers without permissions: a topic of Kafka may write everything except
// aspects that give access; no other caller may write.
func (j *judgement) withoutPermissions(topic bool) {
	for i := range j.wants {
		if !topic || j.rules[i].Platform != nil {
			j.refuse(i)
		}
	}
}

// judge refuses the writes that the caller's privileges do not permit.
func (j *judgement) judge(ctx context.Context, permissions permission.Set, actor string) error {
	var questions []permission.Question
	var of []int
	ask := func(i int, privileges []string) {
		q := permission.About(j.wants[i].URN, privileges...)
		q.Labels = j.wants[i].Labels
		questions, of = append(questions, q), append(of, i)
	}
	for i := range j.wants {
		w, rule := &j.wants[i], &j.rules[i]
		switch {
		case rule.Own && w.URN.String() == actor:
		case rule.Platform != nil:
			if !permissions.Holds(ctx, rule.Platform...) {
				j.refuse(i)
			}
		case rule.Together == nil:
			ask(i, rule.Any)
		default:
			for _, privilege := range rule.Together {
				ask(i, append([]string{privilege}, rule.Any...))
			}
		}
	}
	allowed, err := permissions.Allowed(ctx, questions)
	if err != nil {
		return err
	}
	for q, i := range of {
		if !allowed[q] {
			j.refuse(i)
		}
	}
	return nil
}

// refusalOf is the error of a caller who may not make a write.
func refusalOf(w *write.Want, privileges []string) error {
	done := map[write.WantKind]string{write.Creates: "create", write.Changes: "change", write.Deletes: "delete"}[w.Kind]
	return permission.Refusal(done+" "+w.Aspect+" of "+w.URN.String(), privileges)
}

// refused returns the entities of some types that are refused and need no privilege of the platform, each
// once.
func (j *judgement) refused(ofType func(entityType string) bool) []model.URN {
	var urns []model.URN
	for i := range j.wants {
		if u := j.wants[i].URN; j.refusals[i] != nil && j.rules[i].Platform == nil && ofType(u.EntityType()) {
			urns = append(urns, u)
		}
	}
	return catalog.Distinct(urns)
}
