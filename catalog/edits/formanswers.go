package edits

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// The members of an assigned form.
const (
	incompletePrompts = "incompletePrompts"
	completedPrompts  = "completedPrompts"
	fieldAnswers      = "fieldAssociations"
	completedFields   = "completedFieldPrompts"
	incompleteFields  = "incompleteFieldPrompts"
	verifications     = "verifications"
)

// fieldsPrompt is the type of prompts that are answered for each column.
const fieldsPrompt = "FIELDS_STRUCTURED_PROPERTY"

// FormAnswer is an answer to a prompt of a form that an entity has.
type FormAnswer struct {
	Form     model.URN
	PromptID string
	// Type is the type of the prompt. FieldPath is the column if the prompt is about columns.
	Type, FieldPath string
	Values          PropertyValues
}

// AnswerPrompt sets the values of the structured property that a prompt asks for, and marks the
// prompt as completed. A prompt about columns is completed when all columns have an answer. A form
// is completed when its required prompts are completed.
func (s *Service) AnswerPrompt(ctx context.Context, entity model.URN, a *FormAnswer, o catalog.WriteOptions) error {
	form, paths, err := s.checkAnswer(ctx, entity, a)
	if err != nil {
		return err
	}
	mark := s.editForm(entity, a.Form, func(assigned catalog.Tree, by catalog.AuditStamp) {
		answered := takePrompt(assigned, a.PromptID)
		answered["lastModified"] = by.Tree()
		if a.Type == fieldsPrompt && !answerField(answered, a.FieldPath, paths, by) {
			jsontree.SetItems(assigned, incompletePrompts, append(jsontree.Items(assigned, incompletePrompts), answered))
			return
		}
		jsontree.SetItems(assigned, completedPrompts, append(jsontree.Items(assigned, completedPrompts), answered))
	}, form)
	given := []PropertyValues{a.Values}
	if a.Type != fieldsPrompt {
		return s.writer.Edit(ctx, []write.Edit{s.setProperties(entity, given), mark}, o)
	}
	column, err := columnOf(Resource{URN: entity, Field: a.FieldPath})
	if err != nil {
		return err
	}
	exists, err := s.writer.Exists(ctx, column)
	if err != nil {
		return err
	}
	if exists {
		return s.writer.Edit(ctx, []write.Edit{s.setProperties(column, given), mark}, o)
	}
	// The column becomes an entity with its first values. If marking the prompt fails after
	// that, the caller can give the answer again.
	if err := s.editOrMake(ctx, s.setProperties(column, given), o); err != nil {
		return err
	}
	return s.writer.Edit(ctx, []write.Edit{mark}, o)
}

// checkAnswer fails unless the form exists and its prompt asks the entity for the answered
// property. It returns the form and, if the prompt is about columns, the columns of the entity.
func (s *Service) checkAnswer(ctx context.Context, entity model.URN, a *FormAnswer) (form catalog.Tree, paths []string, err error) {
	if form, err = s.formFor(ctx, a.Form, entity); err != nil {
		return nil, nil, err
	}
	prompts := jsontree.Items(form, "prompts")
	i, err := promptAt(prompts, a.PromptID)
	if err != nil {
		return nil, nil, err
	}
	if asked := jsontree.Text(prompts[i], "type"); asked != a.Type {
		return nil, nil, catalog.Errorf(catalog.Invalid, "the prompt %q is of the type %s, not %s", a.PromptID, asked, a.Type)
	}
	asked := jsontree.Text(jsontree.Member(prompts[i], "structuredPropertyParams"), "urn")
	if !s.names.SameURN(asked, a.Values.Property) {
		return nil, nil, catalog.Errorf(catalog.Invalid, "the prompt %q asks for %s, not for %s", a.PromptID, asked, a.Values.Property)
	}
	if err := s.requireLive(ctx, a.Values.Property); err != nil {
		return nil, nil, err
	}
	if a.Type != fieldsPrompt {
		return form, nil, nil
	}
	if a.FieldPath == "" {
		return nil, nil, catalog.Errorf(catalog.Invalid, "the prompt %q is about columns: fieldPath is missing", a.PromptID)
	}
	if err := s.requireFields(ctx, []Resource{{URN: entity, Field: a.FieldPath}}); err != nil {
		return nil, nil, err
	}
	stored, err := s.store.LatestAspects(ctx, []string{entity.String()}, []string{model.AspectSchemaMetadata})
	if err != nil {
		return nil, nil, catalog.StoreFailure(err)
	}
	if len(stored[entity.String()]) > 0 { // the schema existed a moment ago, and may be deleted since
		paths, err = statements.FieldPathsOf(stored[entity.String()][0].Value)
	}
	return form, paths, err
}

// setProperties edits the values of structured properties.
func (s *Service) setProperties(urn model.URN, given []PropertyValues) write.Edit {
	return write.Edit{URN: urn, Aspect: model.AspectStructuredProperties, Change: func(value catalog.Tree, by catalog.AuditStamp) error {
		jsontree.SetItems(value, "properties", s.withValues(jsontree.Items(value, "properties"), given, by))
		return nil
	}}
}

// withValues sets the values of the given properties in a list of properties.
func (s *Service) withValues(entries []catalog.Tree, given []PropertyValues, by catalog.AuditStamp) []catalog.Tree {
	for _, g := range given {
		values := make([]any, len(g.Values))
		for i, v := range g.Values {
			values[i] = v.tree()
		}
		i := slices.IndexFunc(entries, func(e catalog.Tree) bool { return s.names.SameURN(jsontree.Text(e, "propertyUrn"), g.Property) })
		if i < 0 {
			entries = append(entries, catalog.Tree{"propertyUrn": g.Property.String(), "created": by.Tree()})
			i = len(entries) - 1
		}
		entries[i]["values"], entries[i]["lastModified"] = values, by.Tree()
	}
	return entries
}

// formFor reads a form for an entity. The form and the entity must exist and must not be
// soft-deleted.
func (s *Service) formFor(ctx context.Context, form, entity model.URN) (catalog.Tree, error) {
	if err := s.requireExisting(ctx, form, model.EntityForm); err != nil {
		return nil, err
	}
	if err := s.requireLive(ctx, form, entity); err != nil {
		return nil, err
	}
	return s.latest(ctx, form, model.AspectFormInfo)
}

// takePrompt removes a prompt from a form and returns the prompt. If the form does not have the
// prompt yet, takePrompt returns a new prompt.
func takePrompt(assigned catalog.Tree, id string) catalog.Tree {
	taken := catalog.Tree{"id": id}
	for _, list := range []string{incompletePrompts, completedPrompts} {
		jsontree.SetItems(assigned, list, slices.DeleteFunc(jsontree.Items(assigned, list), func(p catalog.Tree) bool {
			if jsontree.Text(p, "id") == id {
				taken = p
				return true
			}
			return false
		}))
	}
	return taken
}

// answerField marks a column as answered, and reports whether all columns have an answer.
func answerField(prompt catalog.Tree, path string, paths []string, by catalog.AuditStamp) (all bool) {
	fields := jsontree.Member(prompt, fieldAnswers)
	if fields == nil {
		fields = catalog.Tree{}
	}
	is := func(f catalog.Tree) bool { return jsontree.Text(f, "fieldPath") == path }
	completed := append(slices.DeleteFunc(jsontree.Items(fields, completedFields), is), catalog.Tree{"fieldPath": path, "lastModified": by.Tree()})
	jsontree.SetItems(fields, completedFields, completed)
	jsontree.SetItems(fields, incompleteFields, slices.DeleteFunc(jsontree.Items(fields, incompleteFields), is))
	prompt[fieldAnswers] = fields
	answered := map[string]bool{}
	for _, f := range completed {
		answered[jsontree.Text(f, "fieldPath")] = true
	}
	return !slices.ContainsFunc(paths, func(p string) bool { return !answered[p] })
}

// editForm edits a form that an entity has, and moves it to the list of completed or of incomplete
// forms.
func (s *Service) editForm(entity, form model.URN, change func(assigned catalog.Tree, by catalog.AuditStamp), info catalog.Tree) write.Edit {
	return write.Edit{URN: entity, Aspect: model.AspectForms, Change: func(value catalog.Tree, by catalog.AuditStamp) error {
		assigned := s.takeForm(value, form)
		if assigned == nil {
			return catalog.Errorf(catalog.Invalid, "the form %s is not assigned to %s", form, entity)
		}
		change(assigned, by)
		list := completedForms
		if !isCompleted(assigned, info) {
			list = incompleteForms
			s.dropVerification(value, form)
		}
		jsontree.SetItems(value, list, append(jsontree.Items(value, list), assigned))
		return nil
	}}
}

// takeForm removes a form from the lists of an entity and returns the form, nil if the entity
// does not have the form.
func (s *Service) takeForm(value catalog.Tree, form model.URN) (assigned catalog.Tree) {
	for _, list := range []string{incompleteForms, completedForms} {
		jsontree.SetItems(value, list, slices.DeleteFunc(jsontree.Items(value, list), func(f catalog.Tree) bool {
			if s.names.SameURN(jsontree.Text(f, "urn"), form) {
				assigned = f
				return true
			}
			return false
		}))
	}
	return assigned
}

// isCompleted reports whether all required prompts of a form are completed.
func isCompleted(assigned, info catalog.Tree) bool {
	completed := map[string]bool{}
	for _, p := range jsontree.Items(assigned, completedPrompts) {
		completed[jsontree.Text(p, "id")] = true
	}
	return !slices.ContainsFunc(jsontree.Items(info, "prompts"), func(p catalog.Tree) bool {
		required, _ := p["required"].(bool)
		return required && !completed[jsontree.Text(p, "id")]
	})
}

func (s *Service) dropVerification(value catalog.Tree, form model.URN) {
	before := jsontree.Items(value, verifications)
	if len(before) > 0 {
		jsontree.SetItems(value, verifications, slices.DeleteFunc(before, func(v catalog.Tree) bool { return s.names.SameURN(jsontree.Text(v, "form"), form) }))
	}
}

// VerifyForm states that the actor has verified the answers to a completed form of
// the type VERIFICATION.
func (s *Service) VerifyForm(ctx context.Context, form, entity model.URN, o catalog.WriteOptions) error {
	info, err := s.formFor(ctx, form, entity)
	if err != nil {
		return err
	}
	if kind := jsontree.Text(info, "type"); kind != verificationForm {
		return catalog.Errorf(catalog.Invalid, "the form %s is not of the type %s", form, verificationForm)
	}
	return s.writer.Edit(ctx, []write.Edit{{URN: entity, Aspect: model.AspectForms, Change: func(value catalog.Tree, by catalog.AuditStamp) error {
		completed := slices.ContainsFunc(jsontree.Items(value, completedForms), func(f catalog.Tree) bool { return s.names.SameURN(jsontree.Text(f, "urn"), form) })
		if !completed {
			return catalog.Errorf(catalog.Invalid, "the form %s is not completed for %s", form, entity)
		}
		s.dropVerification(value, form)
		jsontree.SetItems(value, verifications, append(jsontree.Items(value, verifications), catalog.Tree{"form": form.String(), "lastModified": by.Tree()}))
		return nil
	}}}, o)
}

// RemoveForm removes a form with its answers from entities, all of them or none. The property
// values that answered the form remain. The form need not exist.
func (s *Service) RemoveForm(ctx context.Context, form model.URN, entities []model.URN, o catalog.WriteOptions) error {
	if err := catalog.RequireType(form, model.EntityForm); err != nil {
		return err
	}
	entities, err := s.requireLiveOf(ctx, "entities", entities)
	if err != nil {
		return err
	}
	return s.removeForm(ctx, form, entities, o)
}

func (s *Service) removeForm(ctx context.Context, form model.URN, entities []model.URN, o catalog.WriteOptions) error {
	edits := make([]write.Edit, len(entities))
	for i, urn := range entities {
		edits[i] = write.Edit{URN: urn, Aspect: model.AspectForms, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
			if len(value) > 0 {
				s.takeForm(value, form)
				s.dropVerification(value, form)
			}
			return nil
		}}
	}
	return s.writer.Edit(ctx, edits, o)
}
