package edits_test

import (
	"context"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/model"
)

const (
	aboutAll  = "STRUCTURED_PROPERTY"
	aboutEach = "FIELDS_STRUCTURED_PROPERTY"
)

// prompt makes a prompt that asks for the property.
func prompt(id, kind string, required bool) edits.FormPrompt {
	return edits.FormPrompt{ID: id, Title: "Title of " + id, Type: kind, Property: catalogtest.URN(property), Required: required}
}

// newForm makes a catalog with a form. The form has a required prompt about the dataset and a
// prompt about each column.
func newForm(t *testing.T) (*catalogtest.SearchHarness, model.URN) {
	t.Helper()
	h := newAssets(t)
	form, err := h.Edits.CreateForm(context.Background(), "review", &edits.FormDefinition{
		Name: new("Review"), Type: "VERIFICATION", Prompts: []edits.FormPrompt{prompt("who", aboutAll, true), prompt("columns", aboutEach, true)},
	}, catalogtest.ByAda)
	if err != nil {
		t.Fatal(err)
	}
	return h, form
}

func TestFormDefinitions(t *testing.T) {
	h, form := newForm(t)
	ctx, by := context.Background(), catalogtest.ByAda
	wantMembers(h, form, model.AspectFormInfo, map[string]string{
		"name": "Review", "type": "VERIFICATION", "actors.owners": "true", "prompts.0.id": "who", "prompts.0.required": "true",
		"prompts.1.structuredPropertyParams.urn": property, "prompts.2": "<nil>",
	})
	update := func(f edits.FormDefinition) error { return h.Edits.UpdateForm(ctx, form, &f, by) }
	of := catalogtest.URNs
	for _, f := range []edits.FormDefinition{
		{Description: new("d"), Actors: edits.FormActors{Owners: new(false), Users: of(catalogtest.Ada), Groups: of(team)}},
		{Prompts: []edits.FormPrompt{prompt("who", aboutEach, false), prompt("", aboutAll, false)}, Removed: []string{"columns"}},
		{Actors: edits.FormActors{LessGroups: of(team)}},
	} {
		if err := update(f); err != nil {
			t.Fatal(err)
		}
	}
	wantMembers(h, form, model.AspectFormInfo, map[string]string{
		"name": "Review", "description": "d", "actors.owners": "false", "actors.users": "[" + catalogtest.Ada + "]", "actors.groups": "[]",
		"prompts.0.id": "who", "prompts.0.type": aboutEach, "prompts.1.title": "Title of ", "prompts.2": "<nil>",
	})
	if id, _ := member(h, form, model.AspectFormInfo, "prompts.1.id").(string); len(id) < 30 {
		t.Errorf("the generated id of a prompt is %q", id)
	}

	create := func(f edits.FormDefinition) error {
		_, err := h.Edits.CreateForm(ctx, "", &f, by)
		return err
	}
	gone := prompt("p", aboutAll, false)
	gone.Property = catalogtest.URN(goneProperty)
	wantRefused(t, "no name", create(edits.FormDefinition{}), catalog.Invalid, "name must not be empty")
	wantRefused(t, "a soft-deleted property", create(edits.FormDefinition{Name: new("n"), Prompts: []edits.FormPrompt{gone}}), catalog.Invalid, "is soft-deleted")
	wantRefused(t, "no property", create(edits.FormDefinition{Name: new("n"), Prompts: []edits.FormPrompt{{Title: "t", Type: aboutAll}}}), catalog.Invalid, "names no structured property")
	wantRefused(t, "no title", create(edits.FormDefinition{Name: new("n"), Prompts: []edits.FormPrompt{{Property: catalogtest.URN(property), Type: aboutAll}}}), catalog.Invalid, "title")
	wantRefused(t, "one id twice", create(edits.FormDefinition{Name: new("n"), Prompts: []edits.FormPrompt{prompt("p", aboutAll, false), prompt("p", aboutAll, false)}}), catalog.Invalid, "two prompts")
	wantRefused(t, "asked of nobody", create(edits.FormDefinition{Name: new("n"), Actors: edits.FormActors{Users: of("urn:li:corpuser:nobody")}}), catalog.Invalid, "does not exist")
	wantRefused(t, "an unknown prompt", update(edits.FormDefinition{Removed: []string{"wo"}}), catalog.Invalid, "did you mean who?")
	_, err := h.Edits.CreateForm(ctx, "review", &edits.FormDefinition{Name: new("n")}, by)
	wantRefused(t, "an id that is used", err, catalog.Conflict, "exists already")
	wantRefused(t, "an absent form", h.Edits.UpdateForm(ctx, catalogtest.URN("urn:li:form:none"), &edits.FormDefinition{}, by), catalog.NotFound, "does not exist")
}

// answersOf returns a function that answers the prompt about the dataset. The argument of the
// function may change the answer before.
func answersOf(h *catalogtest.SearchHarness, form model.URN) func(change func(*edits.FormAnswer)) error {
	return func(change func(*edits.FormAnswer)) error {
		a := &edits.FormAnswer{Form: form, PromptID: "who", Type: aboutAll, Values: edits.PropertyValues{Property: catalogtest.URN(property), Values: []edits.PropertyValue{{Text: "ada"}}}}
		change(a)
		return h.Edits.AnswerPrompt(context.Background(), catalogtest.URN(catalogtest.Table), a, catalogtest.ByAda)
	}
}

func whole(*edits.FormAnswer) {}

// column changes an answer into an answer to the prompt about columns, for one column.
func column(path string) func(*edits.FormAnswer) {
	return func(a *edits.FormAnswer) { a.PromptID, a.Type, a.FieldPath = "columns", aboutEach, path }
}

// TestFormAnswers: a form is completed when its required prompts are completed. A prompt about
// columns is completed when all columns have an answer. Only a completed form can be verified.
func TestFormAnswers(t *testing.T) {
	h, form := newForm(t)
	ctx, by, table := context.Background(), catalogtest.ByAda, catalogtest.URN(catalogtest.Table)
	answer := answersOf(h, form)
	verify := func() error { return h.Edits.VerifyForm(ctx, form, table, by) }
	wantRefused(t, "a form that is not assigned", answer(whole), catalog.Invalid, "is not assigned")
	wantMembers(h, table, model.AspectStructuredProperties, map[string]string{"properties": "<nil>"})
	if err := h.Edits.AssignForm(ctx, form, []model.URN{table}, by); err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		change func(*edits.FormAnswer)
		want   map[string]string
	}{
		{whole, map[string]string{"incompleteForms.0.completedPrompts.0.id": "who", "incompleteForms.0.incompletePrompts.0.id": "columns", "completedForms": "[]"}},
		{column("id"), map[string]string{
			"incompleteForms.0.incompletePrompts.0.fieldAssociations.completedFieldPrompts.0.fieldPath": "id", "incompleteForms.0.completedPrompts.1": "<nil>", "completedForms": "[]",
		}},
		{column("note"), map[string]string{"incompleteForms": "[]", "completedForms.0.urn": form.String(), "completedForms.0.incompletePrompts": "[]", "completedForms.0.completedPrompts.1.id": "columns"}},
		{whole, map[string]string{"completedForms.0.completedPrompts.1.id": "who", "completedForms.0.completedPrompts.2": "<nil>"}},
	} {
		if i < 3 { // after the first three answers, the form is completed
			wantRefused(t, "a verification too early", verify(), catalog.Invalid, "is not completed")
		}
		if err := answer(step.change); err != nil {
			t.Fatal(err)
		}
		wantMembers(h, table, model.AspectForms, step.want)
	}
	for _, urn := range []string{catalogtest.Table, idColumn} {
		wantMembers(h, catalogtest.URN(urn), model.AspectStructuredProperties, map[string]string{"properties.0.propertyUrn": property, "properties.0.values.0.string": "ada", "properties.1": "<nil>"})
	}
	for range 2 { // the second verification replaces the first
		if err := verify(); err != nil {
			t.Fatal(err)
		}
	}
	wantMembers(h, table, model.AspectForms, map[string]string{"verifications.0.form": form.String(), "verifications.0.lastModified.actor": catalogtest.Ada, "verifications.1": "<nil>"})

	if err := h.Edits.RemoveForm(ctx, form, []model.URN{table, catalogtest.URN(secondTable)}, by); err != nil {
		t.Fatal(err)
	}
	wantMembers(h, table, model.AspectForms, map[string]string{"incompleteForms": "[]", "completedForms": "[]", "verifications": "[]"})
	wantMembers(h, catalogtest.URN(secondTable), model.AspectForms, map[string]string{"incompleteForms": "<nil>"})
	wantMembers(h, table, model.AspectStructuredProperties, map[string]string{"properties.0.values.0.string": "ada"})
	wantRefused(t, "a removal from what is absent", h.Edits.RemoveForm(ctx, form, catalogtest.URNs(absentTable), by), catalog.Invalid, "does not exist")
}

func TestFormRefusals(t *testing.T) {
	h, form := newForm(t)
	ctx, by, table := context.Background(), catalogtest.ByAda, catalogtest.URN(catalogtest.Table)
	answer := answersOf(h, form)
	if err := h.Edits.AssignForm(ctx, form, []model.URN{table}, by); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, "an unknown prompt", answer(func(a *edits.FormAnswer) { a.PromptID = "whom" }), catalog.Invalid, "did you mean who?")
	wantRefused(t, "another type", answer(func(a *edits.FormAnswer) { a.Type = aboutEach }), catalog.Invalid, "is of the type "+aboutAll)
	wantRefused(t, "another property", answer(func(a *edits.FormAnswer) { a.Values.Property = catalogtest.URN(goneProperty) }), catalog.Invalid, "asks for "+property)
	wantRefused(t, "no column", answer(column("")), catalog.Invalid, "fieldPath is missing")
	wantRefused(t, "an absent column", answer(column("none")), catalog.Invalid, "none does not exist")
	wantRefused(t, "a form of the other type", h.Edits.VerifyForm(ctx, plainForm(h), table, by), catalog.Invalid, "VERIFICATION")
	wantRefused(t, "a soft-deleted dataset", h.Edits.VerifyForm(ctx, form, catalogtest.URN(goneTable), by), catalog.Invalid, "is soft-deleted")
}

// TestDeleteForm: no entity has a deleted form any more, not even a soft-deleted entity.
func TestDeleteForm(t *testing.T) {
	h, form := newForm(t)
	ctx, by := context.Background(), catalogtest.ByAda
	entities := catalogtest.URNs(catalogtest.Table, secondTable)
	plain := plainForm(h)
	for _, f := range []model.URN{form, plain} {
		if err := h.Edits.AssignForm(ctx, f, entities, by); err != nil {
			t.Fatal(err)
		}
	}
	h.Say(secondTable, model.AspectStatus, `{"removed":true}`)
	h.Await()
	if err := h.Edits.DeleteForm(ctx, form, by); err != nil {
		t.Fatal(err)
	}
	for _, urn := range entities {
		wantMembers(h, urn, model.AspectForms, map[string]string{"incompleteForms.0.urn": plain.String(), "incompleteForms.1": "<nil>"})
	}
	wantMembers(h, form, model.AspectFormInfo, map[string]string{"name": "<nil>"})
	wantRefused(t, "a second deletion", h.Edits.DeleteForm(ctx, form, by), catalog.NotFound, "does not exist")
}

// plainForm makes a form that nobody has to verify.
func plainForm(h *catalogtest.SearchHarness) model.URN {
	h.T.Helper()
	form, err := h.Edits.CreateForm(context.Background(), "plain", &edits.FormDefinition{Name: new("Plain")}, catalogtest.ByAda)
	if err != nil {
		h.T.Fatal(err)
	}
	return form
}
