package resolver

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/gql/object"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// propertyValues reads the values of structured properties from the input of a mutation.
func (a *arguments) propertyValues(params []*object.StructuredPropertyInputParams) []edits.PropertyValues {
	given := make([]edits.PropertyValues, len(params))
	for i, p := range params {
		given[i].Property = a.urn(p.StructuredPropertyUrn)
		for _, v := range p.Values {
			if a.err == nil && (v.StringValue == nil) == (v.NumberValue == nil) {
				a.err = catalog.Errorf(catalog.Invalid, "a value of %s is either a stringValue or a numberValue", p.StructuredPropertyUrn)
			}
			given[i].Values = append(given[i].Values, edits.PropertyValue{Text: optional.Or(v.StringValue, ""), Number: v.NumberValue})
		}
	}
	return given
}

// propertiesAfter writes, and answers with the structured properties that an asset then has.
func propertiesAfter(ctx context.Context, a *arguments, asset model.URN, write func() error) (*object.StructuredProperties, error) {
	if err := a.mutate(write); err != nil {
		return nil, err
	}
	properties, err := a.session.StructuredProperties(ctx, asset)
	if properties == nil {
		properties = &object.StructuredProperties{Properties: []*object.StructuredPropertiesEntry{}}
	}
	return properties, err
}
