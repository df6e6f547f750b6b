package edits

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// verificationForm is the type of forms whose answers a person verifies when the form is
// completed.
const verificationForm = "VERIFICATION"

// FormPrompt is a question of a form. The question asks for the values of a structured property
// of an entity, or of the columns of the entity.
type FormPrompt struct {
	// ID is the prompt's name within the form. For "", an id is generated.
	ID, Title   string
	Description *string
	// Type is STRUCTURED_PROPERTY or FIELDS_STRUCTURED_PROPERTY.
	Type     string
	Property model.URN
	Required bool
}

func (p *FormPrompt) tree() catalog.Tree {
	id := p.ID
	if id == "" {
		id = uuid.NewString()
	}
	prompt := catalog.Tree{
		"id": id, "title": p.Title, "type": p.Type, "required": p.Required, "structuredPropertyParams": catalog.Tree{"urn": p.Property.String()},
	}
	setTexts(prompt, map[string]*string{"description": p.Description})
	return prompt
}

// FormActors select the actors who are asked to complete a form.
type FormActors struct {
	// Owners: the owners of an entity are asked. If Owners is nil, an edit does not change the
	// setting, and a new form asks the owners.
	Owners *bool
	// Users and Groups are added first, then LessUsers and LessGroups are removed.
	Users, Groups         []model.URN
	LessUsers, LessGroups []model.URN
}

// FormDefinition contains the parts of a form to set. An edit does not change a part that is
// nil or "".
type FormDefinition struct {
	Name, Description *string
	// Type is COMPLETION, the default of new forms, or VERIFICATION.
	Type string
	// Prompts are the prompts to add. A prompt replaces a stored prompt with the same id.
	Prompts []FormPrompt
	// Removed are the ids of prompts to remove.
	Removed []string
	Actors  FormActors
}

// CreateForm creates a form and returns its URN. For the id "", an id is generated.
func (s *Service) CreateForm(ctx context.Context, id string, f *FormDefinition, o catalog.WriteOptions) (model.URN, error) {
	if err := requireName(new(optional.Or(f.Name, ""))); err != nil {
		return model.URN{}, err
	}
	if err := s.checkForm(ctx, f); err != nil {
		return model.URN{}, err
	}
	u, by, err := s.newURN(model.EntityForm, id, o)
	if err != nil {
		return model.URN{}, err
	}
	info := catalog.Tree{"type": "COMPLETION"}
	if err := s.setForm(info, f); err != nil {
		return model.URN{}, err
	}
	return u, s.writer.Create(ctx, u, map[string]catalog.Tree{model.AspectFormInfo: info, model.AspectOwnership: ownedBy(u, by)}, o)
}

// UpdateForm sets the given parts of a form. Entities that have the form already keep its former
// prompts.
func (s *Service) UpdateForm(ctx context.Context, urn model.URN, f *FormDefinition, o catalog.WriteOptions) error {
	if err := requireName(f.Name); err != nil {
		return err
	}
	if err := s.checkForm(ctx, f); err != nil {
		return err
	}
	return s.editLive(ctx, urn, model.EntityForm, []write.Edit{{URN: urn, Aspect: model.AspectFormInfo, Change: func(info catalog.Tree, _ catalog.AuditStamp) error {
		if len(info) == 0 {
			return catalog.Errorf(catalog.Invalid, "Failed to update %s. It has no %s.", urn, model.AspectFormInfo)
		}
		return s.setForm(info, f)
	}}}, o)
}

// DeleteForm removes a form from the entities that have the form, page by page, and then
// deletes the form. The property values that answered the form remain.
func (s *Service) DeleteForm(ctx context.Context, urn model.URN, o catalog.WriteOptions) error {
	if err := s.requireFound(ctx, urn, model.EntityForm); err != nil {
		return err
	}
	if err := s.writer.RequireDeletable(ctx, []model.URN{urn}); err != nil {
		return err
	}
	// The right to delete a form includes its removal from entities, also from entities that the caller may not see.
	ctx = permission.Decided(ctx)
	eyes := write.OwnWork(ctx)
	var types []string
	for _, entity := range s.names.Registry().Entities() {
		if entity.Has(model.AspectForms) {
			types = append(types, entity.Name)
		}
	}
	var having catalog.Filter
	for _, list := range []string{incompleteForms, completedForms} {
		having.Or = append(having.Or, catalog.Conjunction{And: []catalog.Criterion{{Field: list, Values: []string{urn.String()}, Condition: catalog.CondEqual}}})
	}
	before := map[string]bool{}
	for {
		found, err := s.search.Search(eyes, search.Request{
			Types: types, Input: "*", Filter: &having, Count: write.MaxEdits, Facets: []string{}, WithoutMatches: true, IncludeRemoved: true,
		})
		if err != nil {
			return err
		}
		var entities []model.URN
		for _, hit := range found.Hits {
			if !before[hit.URN] { // the index may lag behind and still list the entity
				before[hit.URN], entities = true, append(entities, model.StoredURN(hit.URN))
			}
		}
		if len(entities) == 0 {
			return s.removal.DeleteEntity(ctx, urn, []string{model.EntityForm}, o)
		}
		if err := s.removeForm(ctx, urn, entities, o); err != nil {
			return err
		}
	}
}

// checkForm fails unless the prompts are complete, each prompt has an id of its own, and the
// entities that prompts and actors name exist.
func (s *Service) checkForm(ctx context.Context, f *FormDefinition) error {
	if err := catalog.TooMany("prompts", len(f.Prompts)+len(f.Removed), write.MaxEdits); err != nil {
		return err
	}
	seen := map[string]bool{}
	var properties []model.URN
	for _, p := range f.Prompts {
		switch {
		case requireName(&p.Title) != nil:
			return catalog.Errorf(catalog.Invalid, "the title of a prompt must not be empty")
		case p.Property.IsZero():
			return catalog.Errorf(catalog.Invalid, "the prompt %q names no structured property", p.Title)
		case p.ID != "" && seen[p.ID]:
			return catalog.Errorf(catalog.Invalid, "two prompts have the id %q", p.ID)
		}
		seen[p.ID], properties = true, append(properties, p.Property)
	}
	for _, named := range []struct {
		what string
		urns []model.URN
		kind string
	}{
		{"structured properties", properties, model.EntityStructuredProperty},
		{"users", f.Actors.Users, model.EntityCorpuser},
		{"groups", f.Actors.Groups, model.EntityCorpGroup},
	} {
		if _, err := s.requireLiveOf(ctx, named.what, named.urns, named.kind); err != nil {
			return err
		}
	}
	if _, err := catalog.AllOfType(f.Actors.LessUsers, model.EntityCorpuser); err != nil {
		return err
	}
	_, err := catalog.AllOfType(f.Actors.LessGroups, model.EntityCorpGroup)
	return err
}

// setForm puts the given parts into the aspect.
func (s *Service) setForm(info catalog.Tree, f *FormDefinition) error {
	setTexts(info, map[string]*string{"name": f.Name, "description": f.Description})
	if f.Type != "" {
		info["type"] = f.Type
	}
	prompts := jsontree.Items(info, "prompts")
	for _, id := range f.Removed {
		i, err := promptAt(prompts, id)
		if err != nil {
			return err
		}
		prompts = slices.Delete(prompts, i, i+1)
	}
	for _, p := range f.Prompts {
		if i, err := promptAt(prompts, p.ID); err == nil {
			prompts[i] = p.tree()
		} else {
			prompts = append(prompts, p.tree())
		}
	}
	jsontree.SetItems(info, "prompts", prompts)
	actors := jsontree.Member(info, "actors")
	if actors == nil {
		actors = catalog.Tree{"owners": true}
	}
	if f.Actors.Owners != nil {
		actors["owners"] = *f.Actors.Owners
	}
	s.editURNs(actors, "users", f.Actors.Users, true)
	s.editURNs(actors, "users", f.Actors.LessUsers, false)
	s.editURNs(actors, "groups", f.Actors.Groups, true)
	s.editURNs(actors, "groups", f.Actors.LessGroups, false)
	info["actors"] = actors
	return nil
}

// promptAt returns the index of the prompt with an id. If there is none, the error suggests
// similar ids.
func promptAt(prompts []catalog.Tree, id string) (int, error) {
	ids := make([]string, len(prompts))
	for i, p := range prompts {
		if ids[i] = jsontree.Text(p, "id"); ids[i] == id {
			return i, nil
		}
	}
	return 0, catalog.Errorf(catalog.Invalid, "the form has no prompt %q%s", id, nearest.Question(nearest.Names(id, slices.Values(ids))))
}
