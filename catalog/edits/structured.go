package edits

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// PropertyValues are all values that an asset has for one structured property.
type PropertyValues struct {
	Property model.URN
	Values   []PropertyValue
}

// PropertyValue is a text or, if Number is set, a number.
type PropertyValue struct {
	Text   string
	Number *float64
}

// tree is the value in its stored form, a union.
func (v PropertyValue) tree() catalog.Tree {
	if v.Number != nil {
		return catalog.Tree{"double": *v.Number}
	}
	return catalog.Tree{"string": v.Text}
}

// is reports whether a stored value is this one.
func (v PropertyValue) is(stored catalog.Tree) bool {
	if v.Number != nil {
		n, ok := jsontree.Number(stored["double"])
		return ok && n == *v.Number
	}
	text, ok := stored["string"].(string)
	return ok && text == v.Text
}

// SetProperties sets the values of structured properties of an asset, which keeps
// its other properties. The properties must be defined, and their definitions must
// allow the values.
func (s *Service) SetProperties(ctx context.Context, asset model.URN, given []PropertyValues, o catalog.WriteOptions) error {
	if err := catalog.TooMany("properties", len(given), catalog.MaxEdits); err != nil {
		return err
	}
	if err := s.checkProperties(ctx, given); err != nil {
		return err
	}
	return s.editProperties(ctx, asset, o, func(entries []catalog.Tree, by catalog.AuditStamp) []catalog.Tree {
		return s.withValues(entries, given, by)
	})
}

// RemoveProperties removes structured properties from an asset. The properties
// need not be defined.
func (s *Service) RemoveProperties(ctx context.Context, asset model.URN, properties []model.URN, o catalog.WriteOptions) error {
	properties, err := catalog.AllOfType(properties, model.EntityStructuredProperty)
	if err != nil {
		return err
	}
	return s.editProperties(ctx, asset, o, func(entries []catalog.Tree, _ catalog.AuditStamp) []catalog.Tree {
		return slices.DeleteFunc(entries, func(e catalog.Tree) bool { return s.catalog.SameURNAny(jsontree.Text(e, "propertyUrn"), properties) })
	})
}

// editProperties changes the entries of the structured properties of an asset.
func (s *Service) editProperties(ctx context.Context, asset model.URN, o catalog.WriteOptions, change func(entries []catalog.Tree, by catalog.AuditStamp) []catalog.Tree) error {
	if err := s.catalog.RequireExisting(ctx, asset); err != nil {
		return err
	}
	return s.catalog.Edit(ctx, []catalog.Edit{{URN: asset, Aspect: model.AspectStructuredProperties, Change: func(value catalog.Tree, by catalog.AuditStamp) error {
		jsontree.SetItems(value, "properties", change(jsontree.Items(value, "properties"), by))
		return nil
	}}}, o)
}

// checkProperties fails when a property is not defined or named twice, or when its
// definition does not allow a value.
func (s *Service) checkProperties(ctx context.Context, given []PropertyValues) error {
	urns := make([]string, len(given))
	for i, g := range given {
		if err := catalog.RequireType(g.Property, model.EntityStructuredProperty); err != nil {
			return err
		}
		if urns[i] = g.Property.String(); slices.Contains(urns[:i], urns[i]) {
			return catalog.Errorf(catalog.Invalid, "the property %s is named twice", urns[i])
		}
	}
	stored, err := s.store.LatestAspects(ctx, urns, []string{model.AspectPropertyDefinition})
	if err != nil {
		return catalog.StoreFailure(err)
	}
	for i, urn := range urns {
		if len(stored[urn]) == 0 {
			return catalog.Errorf(catalog.NotFound, "the property %s is not defined", urn)
		}
		definition, err := jsontree.DecodeObject(stored[urn][0].Value)
		if err != nil {
			return catalog.Errorf(catalog.Internal, "%s of %s: %w", model.AspectPropertyDefinition, urn, err)
		}
		if err := given[i].check(definition); err != nil {
			return err
		}
	}
	return nil
}

// numberType is the id of the data type of numbers.
const numberType = "datahub.number"

// check fails when the definition of the property does not allow the values.
func (p *PropertyValues) check(definition catalog.Tree) error {
	if jsontree.Text(definition, "cardinality") != "MULTIPLE" && len(p.Values) > 1 {
		return catalog.Errorf(catalog.Invalid, "the property %s has one value, not %d", p.Property, len(p.Values))
	}
	valueType := model.StoredURN(jsontree.Text(definition, "valueType"))
	numbers := len(valueType.Parts()) == 1 && valueType.Parts()[0] == numberType
	for _, v := range p.Values {
		if numbers != (v.Number != nil) {
			return catalog.Errorf(catalog.Invalid, "the values of the property %s are of the type %s", p.Property, valueType)
		}
		allowed := jsontree.Items(definition, "allowedValues")
		if len(allowed) > 0 && !slices.ContainsFunc(allowed, func(a catalog.Tree) bool { return v.is(jsontree.Member(a, "value")) }) {
			return catalog.Errorf(catalog.Invalid, "the property %s does not allow the value %s", p.Property, v)
		}
	}
	return nil
}

// String is the value as a message shows it.
func (v PropertyValue) String() string {
	if v.Number != nil {
		return jsontree.ScalarText(*v.Number)
	}
	return v.Text
}
