package resolver

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/gql/object"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// customAssertion reads from the input of a mutation an assertion that another tool checks.
func (a *arguments) customAssertion(input *object.UpsertCustomAssertionInput) edits.CustomAssertion {
	c := edits.CustomAssertion{
		Entity: a.urn(input.EntityUrn), Fields: input.FieldPaths, Type: input.Type, Description: input.Description,
		ExternalURL: input.ExternalURL, Logic: input.Logic, Further: catalog.Tree{},
	}
	if input.FieldPath != nil && len(c.Fields) == 0 {
		c.Fields = []string{*input.FieldPath}
	}
	c.Platform = a.platform(input.Platform, c.Entity)
	further(c.Further, "scope", input.Scope)
	further(c.Further, "aggregation", input.Aggregation)
	further(c.Further, "operator", input.Operator)
	further(c.Further, "nativeType", input.NativeType)
	if p := input.Parameters; p != nil {
		parameters := catalog.Tree{}
		parameter(parameters, "value", p.Value)
		parameter(parameters, "minValue", p.MinValue)
		parameter(parameters, "maxValue", p.MaxValue)
		c.Further["parameters"] = parameters
	}
	if native := textsOf(input.NativeParameters); len(native) > 0 {
		c.Further["nativeParameters"] = native
	}
	return c
}

// further sets the member name of a tree to a value, if the value is given.
func further[T ~string](tree catalog.Tree, name string, value *T) {
	if value != nil {
		tree[name] = string(*value)
	}
}

func parameter(tree catalog.Tree, name string, p *object.AssertionStdParameterInput) {
	if p != nil {
		tree[name] = catalog.Tree{"value": p.Value, "type": string(p.Type)}
	}
}

// platform returns the URN of a platform that an input names by its URN or by its name. A name
// is in the namespace of the URN of.
func (a *arguments) platform(input *object.PlatformInput, of model.URN) model.URN {
	if urn := optional.Or(input.Urn, ""); urn != "" || a.err != nil {
		return a.urn(urn)
	}
	platform, err := model.BuildURN(of.Namespace(), model.EntityDataPlatform, optional.Or(input.Name, ""))
	if err != nil {
		a.err = catalog.Errorf(catalog.Invalid, "the platform needs a urn or a name")
	}
	return platform
}

// assertionResult reads the result of an evaluation from the input of a mutation.
func (a *arguments) assertionResult(urn string, input *object.AssertionResultInput) edits.AssertionResult {
	r := edits.AssertionResult{
		Assertion: a.urn(urn), Type: string(input.Type), Severity: string(optional.Or(input.Severity, "")), Time: input.TimestampMillis,
		Properties: textsOf(input.Properties), ExternalURL: input.ExternalURL,
	}
	if e := input.Error; e != nil {
		r.ErrorType, r.ErrorMessage = string(e.Type), e.Message
	}
	return r
}

// textsOf returns the texts of a list by their keys.
func textsOf(entries []*object.StringMapEntryInput) map[string]string {
	texts := make(map[string]string, len(entries))
	for _, e := range entries {
		texts[e.Key] = optional.Or(e.Value, "")
	}
	return texts
}
