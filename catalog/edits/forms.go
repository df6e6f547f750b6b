package edits

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// The lists of an entity's forms.
const (
	incompleteForms = "incompleteForms"
	completedForms  = "completedForms"
)

// AssignForm gives a form to entities, all of them or none, to be completed. An entity that
// already has the form is not changed.
func (s *Service) AssignForm(ctx context.Context, form model.URN, entities []model.URN, o catalog.WriteOptions) error {
	named := catalog.Distinct(entities)
	if err := catalog.TooMany("entities", len(named), write.MaxEdits); err != nil {
		return err
	}
	if err := s.requireExisting(ctx, form, model.EntityForm); err != nil {
		return err
	}
	info, err := s.latest(ctx, form, model.AspectFormInfo)
	if err != nil {
		return err
	}
	if err := s.writer.RequireExisting(ctx, named...); err != nil {
		return err
	}
	edits := make([]write.Edit, len(named))
	for i, urn := range named {
		edits[i] = write.Edit{URN: urn, Aspect: model.AspectForms, Change: func(value catalog.Tree, by catalog.AuditStamp) error {
			s.addForm(value, form, jsontree.Items(info, "prompts"), by)
			return nil
		}}
	}
	return s.writer.Edit(ctx, edits, o)
}

// addForm adds a form with all its prompts to the incomplete forms of an entity, unless the entity
// has the form.
func (s *Service) addForm(value catalog.Tree, form model.URN, prompts []catalog.Tree, by catalog.AuditStamp) {
	is := func(f catalog.Tree) bool { return s.names.SameURN(jsontree.Text(f, "urn"), form) }
	incomplete, completed := jsontree.Items(value, incompleteForms), jsontree.Items(value, completedForms)
	if slices.ContainsFunc(incomplete, is) || slices.ContainsFunc(completed, is) {
		return
	}
	asked := make([]any, len(prompts))
	for i, p := range prompts {
		asked[i] = catalog.Tree{"id": jsontree.Text(p, "id"), "lastModified": by.Tree()}
	}
	jsontree.SetItems(value, incompleteForms, append(incomplete, catalog.Tree{"urn": form.String(), "incompletePrompts": asked, "completedPrompts": []any{}}))
	jsontree.SetItems(value, completedForms, completed)
}

// SetFormFilter sets the filter for the entities of a form. The server does not assign the form
// by this filter.
func (s *Service) SetFormFilter(ctx context.Context, form model.URN, filter catalog.Filter, o catalog.WriteOptions) error {
	if err := s.search.CheckFilter(nil, &filter); err != nil {
		return err
	}
	return s.editKnown(ctx, form, model.EntityForm, []write.Edit{write.Replace(form, model.AspectDynamicFormAssignment, func(catalog.AuditStamp) catalog.Tree {
		return catalog.Tree{"filter": filterTree(&filter)}
	})}, o)
}

// latest returns the latest value of an aspect, empty if none is stored.
func (s *Service) latest(ctx context.Context, urn model.URN, aspect string) (catalog.Tree, error) {
	stored, err := s.store.LatestAspects(ctx, []string{urn.String()}, []string{aspect})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	if len(stored[urn.String()]) == 0 {
		return catalog.Tree{}, nil
	}
	return catalog.TreeOf(stored[urn.String()][0].Value)
}
