package permit

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// reliance says that a privilege on other entities permits writes of a type: whoever may edit the queries
// of a dataset may write the query entities about it.
type reliance struct {
	// aspects name the other entities.
	aspects []string
	// others returns the other entities that the value of an aspect names.
	others func(value catalog.Tree) []string
	// privileges on all these entities permit the write.
	privileges []string
	// above are privileges that suffice on any entity above the other one.
	above []string
}

// byOthers are the types whose writes other entities may permit.
var byOthers = map[string]reliance{
	model.EntityQuery: {
		aspects: []string{model.AspectQuerySubjects}, privileges: []string{"EDIT_ENTITY_QUERIES", "EDIT_ENTITY"},
		others: func(value catalog.Tree) []string { return appendMembers(nil, value, "subjects", "entity") },
	},
	model.EntityDataProduct: {
		aspects: []string{model.AspectDomains}, privileges: []string{"MANAGE_DATA_PRODUCTS"},
		others: func(value catalog.Tree) []string { return jsontree.Texts(value, "domains") },
	},
	model.EntityIncident: {
		aspects: []string{model.AspectIncidentInfo}, privileges: []string{"EDIT_ENTITY_INCIDENTS", "EDIT_ENTITY"},
		others: func(value catalog.Tree) []string { return jsontree.Texts(value, "entities") },
	},
	model.EntityAssertion: {
		aspects: []string{model.AspectAssertionInfo}, privileges: []string{"EDIT_ENTITY_ASSERTIONS", "EDIT_ENTITY"},
		others: assertees,
	},
	model.EntityDataContract: {
		aspects: []string{model.AspectDataContractProperties}, privileges: []string{"EDIT_ENTITY_DATA_CONTRACT", "EDIT_ENTITY"},
		others: func(value catalog.Tree) []string { return appendText(nil, jsontree.Text(value, "entity")) },
	},
	model.EntityGlossaryTerm: {
		aspects: []string{model.AspectGlossaryTermInfo}, privileges: glossaryChildren, above: glossaryChildren[1:], others: parentNode,
	},
	model.EntityGlossaryNode: {
		aspects: []string{model.AspectGlossaryNodeInfo}, privileges: glossaryChildren, above: glossaryChildren[1:], others: parentNode,
	},
}

var glossaryChildren = []string{"MANAGE_GLOSSARY_CHILDREN", "MANAGE_ALL_GLOSSARY_CHILDREN"}

func parentNode(value catalog.Tree) []string {
	return appendText(nil, jsontree.Text(value, "parentNode"))
}

// assertees returns the entities that an assertion is about.
func assertees(value catalog.Tree) []string {
	urns := appendText(nil, jsontree.Text(value, "entityUrn"))
	for _, kind := range []struct{ member, entity string }{
		{"datasetAssertion", "dataset"},
		{"customAssertion", "entity"},
		{"freshnessAssertion", "entity"},
		{"volumeAssertion", "entity"},
		{"sqlAssertion", "entity"},
		{"fieldAssertion", "entity"},
		{"schemaAssertion", "entity"},
	} {
		urns = appendText(urns, jsontree.Text(jsontree.Member(value, kind.member), kind.entity))
	}
	return urns
}

// judgeByOthers permits refused wants that privileges on other entities permit. It looks at the entities
// that are named now and at those that the write names: all of them must permit it.
func (s *Service) judgeByOthers(ctx context.Context, permissions catalog.Permissions, actor string, j *judgement) error {
	if err := s.judgeViews(ctx, j, actor); err != nil {
		return err
	}
	asked := j.asked()
	if len(asked) == 0 {
		return nil
	}
	var names []string
	for _, u := range asked {
		names = append(names, byOthers[u.EntityType()].aspects...)
	}
	stored, err := s.Store.LatestAspects(ctx, catalog.Texts(asked), names)
	if err != nil {
		return catalog.StoreFailure(err)
	}
	others := map[model.URN][]model.URN{}
	for _, u := range asked {
		of := byOthers[u.EntityType()]
		add := func(value catalog.Tree) {
			for _, text := range of.others(value) {
				if other, err := model.ParseURN(text); err == nil {
					others[u] = append(others[u], other)
				}
			}
		}
		for _, a := range stored[u.String()] {
			value, err := catalog.TreeOf(a.Value)
			if err != nil {
				return err
			}
			if a.Name == of.aspects[0] {
				add(value)
			}
		}
		for i := range j.wants {
			if w := &j.wants[i]; w.URN == u && w.Aspect == of.aspects[0] && w.Value != nil {
				add(w.Value)
			}
		}
	}
	permitted, err := s.permitted(ctx, permissions, others)
	if err != nil {
		return err
	}
	for u, may := range permitted {
		if may {
			j.permit(u)
		}
	}
	return nil
}

// permitted returns the entities all of whose others permit writes of them.
func (s *Service) permitted(ctx context.Context, permissions catalog.Permissions, others map[model.URN][]model.URN) (map[model.URN]bool, error) {
	permitted := map[model.URN]bool{}
	for u, named := range others {
		of := byOthers[u.EntityType()]
		permitted[u] = true
		for _, other := range catalog.Distinct(named) {
			may, err := s.mayThrough(ctx, permissions, of, other)
			if err != nil {
				return nil, err
			}
			permitted[u] = permitted[u] && may
		}
	}
	return permitted, nil
}

// mayThrough reports whether the caller has the privilege of a reliance on an entity, or on one above it.
func (s *Service) mayThrough(ctx context.Context, permissions catalog.Permissions, of reliance, other model.URN) (bool, error) {
	questions := []catalog.Question{catalog.About(other, of.privileges...)}
	if len(of.above) > 0 {
		up := ancestors{store: s.Store, parents: map[string]string{}}
		if err := up.read(ctx, map[string]bool{other.String(): true}); err != nil {
			return false, err
		}
		for _, urn := range up.above(nil, other.String()) {
			questions = append(questions, catalog.About(model.StoredURN(urn), of.above...))
		}
	}
	allowed, err := permissions.Allowed(ctx, questions)
	if err != nil {
		return false, err
	}
	for i := range allowed {
		if allowed[i] {
			return true, nil
		}
	}
	return false, nil
}

// judgeViews permits people to save searches for themselves: to write personal views that they have
// made.
func (s *Service) judgeViews(ctx context.Context, j *judgement, actor string) error {
	var urns []model.URN
	for i := range j.wants {
		if j.refusals[i] != nil && j.wants[i].URN.EntityType() == model.EntityDataHubView {
			urns = append(urns, j.wants[i].URN)
		}
	}
	if len(urns) == 0 || actor == "" {
		return nil
	}
	stored, err := s.Store.LatestAspects(ctx, catalog.Texts(catalog.Distinct(urns)), []string{model.AspectDataHubViewInfo})
	if err != nil {
		return catalog.StoreFailure(err)
	}
	for _, u := range urns {
		var values []catalog.Tree
		for _, a := range stored[u.String()] {
			value, err := catalog.TreeOf(a.Value)
			if err != nil {
				return err
			}
			values = append(values, value)
		}
		for i := range j.wants {
			if w := &j.wants[i]; w.URN == u && w.Aspect == model.AspectDataHubViewInfo && w.Value != nil {
				values = append(values, w.Value)
			}
		}
		if !slices.ContainsFunc(values, func(v catalog.Tree) bool { return !isOwnView(v, actor) }) && len(values) > 0 {
			j.permit(u)
		}
	}
	return nil
}

// isOwnView reports whether a view is a personal one of an actor.
func isOwnView(value catalog.Tree, actor string) bool {
	return jsontree.Text(value, "type") == "PERSONAL" && jsontree.Text(jsontree.Member(value, "created"), "actor") == actor
}
