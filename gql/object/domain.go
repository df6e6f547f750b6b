package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// Domain is a part of the business.
type Domain struct{ *Node }

// ID is the last part of the URN.
func (d *Domain) ID() string { return d.part(0) }

// Properties are its name and description.
func (d *Domain) Properties(ctx context.Context) (*DomainProperties, error) {
	return aspect[DomainProperties](ctx, d.Node, model.AspectDomainProperties)
}

// Entities searches the contents of the domain.
func (d *Domain) Entities(ctx context.Context, input *DomainEntitiesInput) (*SearchResults, error) {
	if input == nil {
		input = &DomainEntitiesInput{}
	}
	return d.members(ctx, "domains", input.Query, input.Start, input.Count, input.Filters)
}
