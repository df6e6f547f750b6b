package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// Tag is a label for any entity or column.
type Tag struct{ *Node }

// Properties are the name, description and colour of the tag.
func (t *Tag) Properties(ctx context.Context) (*TagProperties, error) {
	return aspect[TagProperties](ctx, t.Node, model.AspectTagProperties)
}

// Name is the stated name, or else the last part of the URN.
func (t *Tag) Name(ctx context.Context) (string, error) {
	p, err := t.Properties(ctx)
	if p == nil || p.Name == "" {
		return t.part(0), err
	}
	return p.Name, err
}

// Description is the description in the properties of the tag.
func (t *Tag) Description(ctx context.Context) (*string, error) {
	p, err := t.Properties(ctx)
	if p == nil {
		return nil, err
	}
	return p.Description, err
}

// EditableProperties is the deprecated form of the properties.
func (t *Tag) EditableProperties(ctx context.Context) (*EditableTagProperties, error) {
	p, err := t.Properties(ctx)
	if p == nil {
		return nil, err
	}
	return &EditableTagProperties{Name: &p.Name, Description: p.Description}, err
}
