package object

import (
	"context"

	"github.com/headwater-io/headwater/internal/optional"
)

// AggregationMetadata is a value of a facet with the number of its occurrences.
type AggregationMetadata struct {
	Value  string
	Count  int64
	Entity Entity
}

// DisplayName is the name of the entity whose URN is the value, or else the value itself.
func (a *AggregationMetadata) DisplayName(ctx context.Context) (*string, error) {
	name, err := displayNameOf(ctx, a.Entity)
	if err != nil {
		return nil, err
	}
	if name == "" {
		name = a.Value
	}
	return &name, nil
}

// displayNameOf is the name of an entity for people, "" if the entity has no such name.
func displayNameOf(ctx context.Context, e Entity) (string, error) {
	switch e := e.(type) {
	case *Dataset:
		return e.Name(), nil
	case *Tag:
		return e.Name(ctx)
	case *GlossaryTerm:
		return e.Name(ctx)
	case *DataPlatform:
		name, err := e.DisplayName(ctx)
		return optional.Or(name, e.Name()), err
	case *GlossaryNode:
		return nameIn(ctx, e.Properties, func(p *GlossaryNodeProperties) string { return p.Name })
	case *Domain:
		return nameIn(ctx, e.Properties, func(p *DomainProperties) string { return p.Name })
	case *Container:
		return nameIn(ctx, e.Properties, func(p *ContainerProperties) string { return p.Name })
	case *DataProduct:
		return nameIn(ctx, e.Properties, (*DataProductProperties).Name)
	case *Application:
		return nameIn(ctx, e.Properties, (*ApplicationProperties).Name)
	case *DataPlatformInstance:
		return nameIn(ctx, e.Properties, func(p *DataPlatformInstanceProperties) string { return optional.Or(p.Name, "") })
	case *OwnershipTypeEntity:
		return nameIn(ctx, e.Info, func(i *OwnershipTypeInfo) string { return i.Name })
	case *CorpGroup:
		return nameIn(ctx, e.Properties, func(p *CorpGroupProperties) string { return optional.Or(p.DisplayName, e.Name()) })
	case *CorpUser:
		return e.displayName(ctx)
	}
	return "", nil
}

// nameIn is the name in the properties of an entity, "" if the entity has no properties.
func nameIn[P any](ctx context.Context, read func(context.Context) (*P, error), name func(*P) string) (string, error) {
	properties, err := read(ctx)
	if properties == nil {
		return "", err
	}
	return name(properties), err
}

// displayName is the name that the user has chosen, or else the name from the directory.
func (u *CorpUser) displayName(ctx context.Context) (string, error) {
	name, err := nameIn(ctx, u.EditableProperties, func(p *CorpUserEditableProperties) string { return optional.Or(p.DisplayName, "") })
	if name != "" || err != nil {
		return name, err
	}
	return nameIn(ctx, u.Properties, func(p *CorpUserProperties) string {
		return optional.Or(p.DisplayName, optional.Or(p.FullName, u.Username()))
	})
}
