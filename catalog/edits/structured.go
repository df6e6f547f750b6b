package edits

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// PropertyValues are the values of an asset for one structured property.
type PropertyValues struct {
	Property model.URN
	Values   []PropertyValue
}

// PropertyValue is a text or, if Number is set, a number.
type PropertyValue struct {
	Text   string
	Number *float64
}

// tree returns the value in its stored form, a union.
func (v PropertyValue) tree() catalog.Tree {
	if v.Number != nil {
		return catalog.Tree{"double": *v.Number}
	}
	return catalog.Tree{"string": v.Text}
}

// SetProperties sets the values of some structured properties of an asset, and does not change
// other properties. The properties must be defined, and their definitions must allow the
// values.
func (s *Service) SetProperties(ctx context.Context, asset model.URN, given []PropertyValues, o catalog.WriteOptions) error {
	if err := catalog.TooMany("properties", len(given), write.MaxEdits); err != nil {
		return err
	}
	for i, g := range given {
		if err := catalog.RequireType(g.Property, model.EntityStructuredProperty); err != nil {
			return err
		}
		if slices.ContainsFunc(given[:i], func(other PropertyValues) bool { return other.Property == g.Property }) {
			return catalog.Errorf(catalog.Invalid, "the property %s is named twice", g.Property)
		}
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
		return slices.DeleteFunc(entries, func(e catalog.Tree) bool { return s.names.SameURNAny(jsontree.Text(e, "propertyUrn"), properties) })
	})
}

// editProperties changes the entries of the structured properties of an asset.
func (s *Service) editProperties(ctx context.Context, asset model.URN, o catalog.WriteOptions, change func(entries []catalog.Tree, by catalog.AuditStamp) []catalog.Tree) error {
	if err := s.writer.RequireExisting(ctx, asset); err != nil {
		return err
	}
	return s.writer.Edit(ctx, []write.Edit{{URN: asset, Aspect: model.AspectStructuredProperties, Change: func(value catalog.Tree, by catalog.AuditStamp) error {
		jsontree.SetItems(value, "properties", change(jsontree.Items(value, "properties"), by))
		return nil
	}}}, o)
}
