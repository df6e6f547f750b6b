package resolver

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/gql/object"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// This file reads the inputs of mutations about incidents, documents, business
// attributes, forms and definitions of properties.

// given reports whether the input of the operation has a member, which may be null.
func given(ctx context.Context, member string) bool {
	arguments := graphql.GetFieldContext(ctx).Field.ArgumentMap(graphql.GetOperationContext(ctx).Variables)
	input, _ := arguments["input"].(map[string]any)
	_, ok := input[member]
	return ok
}

// givenURNs reads a list of URNs. It returns nil if the list is missing.
func (a *arguments) givenURNs(texts []string) []model.URN {
	if texts == nil {
		return nil
	}
	return a.urns(texts)
}

// succeeded is the answer of a mutation that only reports success and whose type does not allow
// null.
func succeeded(err error) (bool, error) { return err == nil, err }

func incidentStatusOf(input *object.IncidentStatusInput) *edits.IncidentStatus {
	if input == nil {
		return nil
	}
	return &edits.IncidentStatus{State: string(input.State), Stage: string(optional.Or(input.Stage, "")), Message: input.Message}
}

// updateDocument changes the given parts of a document.
func updateDocument(ctx context.Context, a *arguments, urn string, update *edits.DocumentUpdate) (bool, error) {
	u := a.urn(urn)
	return succeeded(a.mutate(func() error { return a.edits.UpdateDocument(ctx, u, update, a.by) }))
}

func columnTypeOf(t *object.SchemaFieldDataType) *string {
	if t == nil {
		return nil
	}
	return new(string(*t))
}

// allowedValues reads the values of a definition from the input of a mutation.
func (a *arguments) allowedValues(inputs []*object.AllowedValueInput) []edits.AllowedValue {
	values := make([]edits.AllowedValue, len(inputs))
	for i, in := range inputs {
		if a.err == nil && (in.StringValue == nil) == (in.NumberValue == nil) {
			a.err = catalog.Errorf(catalog.Invalid, "an allowed value is either a stringValue or a numberValue")
		}
		values[i] = edits.AllowedValue{Value: edits.PropertyValue{Text: optional.Or(in.StringValue, ""), Number: in.NumberValue}, Description: in.Description}
	}
	return values
}

func propertySettingsOf(input *object.StructuredPropertySettingsInput) *edits.PropertySettings {
	if input == nil {
		return nil
	}
	return &edits.PropertySettings{
		Hidden: input.IsHidden, InSearchFilters: input.ShowInSearchFilters, InAssetSummary: input.ShowInAssetSummary,
		HiddenWhenEmpty: input.HideInAssetSummaryWhenEmpty, AsAssetBadge: input.ShowAsAssetBadge, InColumnsTable: input.ShowInColumnsTable,
	}
}

// prompts reads the prompts of a form from the input of a mutation.
func (a *arguments) prompts(inputs []*object.CreatePromptInput) []edits.FormPrompt {
	prompts := make([]edits.FormPrompt, len(inputs))
	for i, in := range inputs {
		prompts[i] = edits.FormPrompt{ID: optional.Or(in.ID, ""), Title: in.Title, Description: in.Description, Type: string(in.Type), Required: optional.Or(in.Required, false)}
		if in.StructuredPropertyParams != nil {
			prompts[i].Property = a.urn(in.StructuredPropertyParams.Urn)
		}
	}
	return prompts
}

// formAnswer reads an answer to a prompt from the input of a mutation.
func (a *arguments) formAnswer(input *object.SubmitFormPromptInput) *edits.FormAnswer {
	answer := &edits.FormAnswer{Form: a.urn(input.FormUrn), PromptID: input.PromptID, Type: string(input.Type), FieldPath: optional.Or(input.FieldPath, "")}
	switch {
	case a.err != nil:
	case input.StructuredPropertyParams == nil:
		a.err = catalog.Errorf(catalog.Invalid, "structuredPropertyParams are required")
	default:
		answer.Values = a.propertyValues([]*object.StructuredPropertyInputParams{input.StructuredPropertyParams})[0]
	}
	return answer
}
