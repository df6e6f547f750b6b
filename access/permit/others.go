package permit

import (
	"context"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/access/facts"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// reliance says that a privilege on other entities permits writes of a type: whoever may edit the queries
// of a dataset may write the query entities about it.
type reliance struct {
	// aspect names the other entities.
	aspect string
	// others returns the other entities that the value of an aspect names.
	others func(value catalog.Tree) []string
	// privileges on all these entities permit the write.
	privileges []string
	// above are privileges that suffice on any entity above the other one.
	above []string
}

func appendText(texts []string, text string) []string {
	if text == "" {
		return texts
	}
	return append(texts, text)
}

func members(value catalog.Tree, list, member string) (texts []string) {
	for _, item := range jsontree.Items(value, list) {
		texts = appendText(texts, jsontree.Text(item, member))
	}
	return texts
}

// byOthers are the types whose writes other entities may permit.
var byOthers = map[string]reliance{
	model.EntityQuery: {
		aspect: model.AspectQuerySubjects, privileges: []string{"EDIT_ENTITY_QUERIES", "EDIT_ENTITY"},
		others: func(value catalog.Tree) []string { return members(value, "subjects", "entity") },
	},
	model.EntityDataProduct: {
		aspect: model.AspectDomains, privileges: []string{"MANAGE_DATA_PRODUCTS"},
		others: func(value catalog.Tree) []string { return jsontree.Texts(value, "domains") },
	},
	model.EntityIncident: {
		aspect: model.AspectIncidentInfo, privileges: []string{"EDIT_ENTITY_INCIDENTS", "EDIT_ENTITY"},
		others: func(value catalog.Tree) []string { return jsontree.Texts(value, "entities") },
	},
	model.EntityAssertion: {
		aspect: model.AspectAssertionInfo, privileges: []string{"EDIT_ENTITY_ASSERTIONS", "EDIT_ENTITY"},
		others: assertees,
	},
	model.EntityDataContract: {
		aspect: model.AspectDataContractProperties, privileges: []string{"EDIT_ENTITY_DATA_CONTRACT", "EDIT_ENTITY"},
		others: func(value catalog.Tree) []string { return appendText(nil, jsontree.Text(value, "entity")) },
	},
	model.EntityGlossaryTerm: {
		aspect: model.AspectGlossaryTermInfo, privileges: glossaryChildren, above: glossaryChildren[1:], others: parentNode,
	},
	model.EntityGlossaryNode: {
		aspect: model.AspectGlossaryNodeInfo, privileges: glossaryChildren, above: glossaryChildren[1:], others: parentNode,
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

// judgeByOthers permits refused wants that privileges on other entities permit. It looks at the entities that
// are named now and at those that the write names: the privileges must hold on all of them.
func (s *Service) judgeByOthers(ctx context.Context, permissions permission.Set, j *judgement) error {
	asked := j.refused(func(entityType string) bool { return byOthers[entityType].others != nil })
	values, err := s.values(ctx, j, asked, func(entityType string) string { return byOthers[entityType].aspect })
	if err != nil {
		return err
	}
	others := map[model.URN][]model.URN{}
	for u, all := range values {
		for _, value := range all {
			for _, text := range byOthers[u.EntityType()].others(value) {
				if other, err := model.ParseURN(text); err == nil {
					others[u] = append(others[u], other)
				}
			}
		}
	}
	for i := range j.wants {
		if w := &j.wants[i]; w.Patch != nil && slices.Contains(asked, w.URN) && w.Aspect == byOthers[w.URN.EntityType()].aspect {
			others[w.URN] = append(others[w.URN], patched(w.Patch)...)
		}
	}
	permitted, err := s.permitted(ctx, permissions, others)
	for _, u := range permitted {
		j.permit(u)
	}
	return err
}

// patched returns the entities that a patch names. People and groups are not among them: they are actors
// of stamps.
func patched(patch *model.Operations) []model.URN {
	var urns []model.URN
	for _, text := range patch.Texts() {
		if u, err := model.ParseURN(text); err == nil && u.EntityType() != model.EntityCorpuser && u.EntityType() != model.EntityCorpGroup {
			urns = append(urns, u)
		}
	}
	return urns
}

// values returns, of one aspect of each entity, the stored value and the values that are to be written.
func (s *Service) values(ctx context.Context, j *judgement, urns []model.URN, aspectOf func(entityType string) string) (map[model.URN][]catalog.Tree, error) {
	if len(urns) == 0 {
		return nil, nil
	}
	var names []string
	for _, u := range urns {
		names = append(names, aspectOf(u.EntityType()))
	}
	slices.Sort(names)
	stored, err := s.Store.LatestAspects(ctx, catalog.Texts(urns), slices.Compact(names))
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	values := map[model.URN][]catalog.Tree{}
	for _, u := range urns {
		for _, a := range stored[u.String()] {
			if a.Name != aspectOf(u.EntityType()) {
				continue
			}
			value, err := catalog.TreeOf(a.Value)
			if err != nil {
				return nil, err
			}
			values[u] = append(values[u], value)
		}
	}
	for i := range j.wants {
		if w := &j.wants[i]; w.Value != nil && w.Aspect == aspectOf(w.URN.EntityType()) && slices.Contains(urns, w.URN) {
			values[w.URN] = append(values[w.URN], w.Value)
		}
	}
	return values, nil
}

// permitted returns the entities whose other entities all permit writes: each other entity itself, or one of
// its ancestors.
func (s *Service) permitted(ctx context.Context, permissions permission.Set, others map[model.URN][]model.URN) ([]model.URN, error) {
	below := map[string]bool{}
	for u, named := range others {
		for _, other := range named {
			below[other.String()] = len(byOthers[u.EntityType()].above) > 0
		}
	}
	maps.DeleteFunc(below, func(_ string, climbs bool) bool { return !climbs })
	above, err := facts.Above(ctx, s.Store, below)
	if err != nil {
		return nil, err
	}
	// A pair is an entity with one of its others. Each question belongs to a pair, of which one has to
	// be allowed.
	type pair struct{ of, other model.URN }
	var questions []permission.Question
	var belongs []pair
	for u, named := range others {
		of := byOthers[u.EntityType()]
		for _, other := range catalog.Distinct(named) {
			questions, belongs = append(questions, permission.About(other, of.privileges...)), append(belongs, pair{u, other})
			for _, urn := range above(other.String()) {
				questions, belongs = append(questions, permission.About(model.StoredURN(urn), of.above...)), append(belongs, pair{u, other})
			}
		}
	}
	allowed, err := permissions.Allowed(ctx, questions)
	if err != nil {
		return nil, err
	}
	may := map[pair]bool{}
	for i, p := range belongs {
		may[p] = may[p] || allowed[i]
	}
	var permitted []model.URN
	for u, named := range others {
		if !slices.ContainsFunc(named, func(other model.URN) bool { return !may[pair{u, other}] }) {
			permitted = append(permitted, u)
		}
	}
	return permitted, nil
}

// manageViews permits to write the views for everybody.
const manageViews = "MANAGE_GLOBAL_VIEWS"

// judgeViews permits people to save searches: to write personal views that they have made and, with a
// privilege of the platform, views for everybody. Nobody but its maker may write a personal view.
func (s *Service) judgeViews(ctx context.Context, permissions permission.Set, j *judgement, actor string) error {
	asked := j.refused(func(entityType string) bool { return entityType == model.EntityDataHubView })
	if len(asked) == 0 {
		return nil
	}
	manages := permissions.Holds(ctx, manageViews)
	values, err := s.values(ctx, j, asked, func(string) string { return model.AspectDataHubViewInfo })
	for u, all := range values {
		if !slices.ContainsFunc(all, func(v catalog.Tree) bool { return !isOwnView(v, actor) && !(manages && isGlobalView(v)) }) {
			j.permit(u)
		}
	}
	return err
}

// isOwnView reports whether a view is a personal one of an actor.
func isOwnView(value catalog.Tree, actor string) bool {
	return actor != "" && jsontree.Text(value, "type") == "PERSONAL" && jsontree.Text(jsontree.Member(value, "created"), "actor") == actor
}

// isGlobalView reports whether a view is for everybody.
func isGlobalView(value catalog.Tree) bool { return jsontree.Text(value, "type") == "GLOBAL" }
