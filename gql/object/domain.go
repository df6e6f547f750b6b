package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// Domain is a part of the business.
type Domain struct{ *Node }

// ID is the last part of the URN.
func (d *Domain) ID() string { return d.part(0) }

// Properties are the name and the description of the domain.
func (d *Domain) Properties(ctx context.Context) (*DomainProperties, error) {
	return aspect[DomainProperties](ctx, d.Node, model.AspectDomainProperties)
}

// inDomain is the part of an aspect that names the domain around an entity.
type inDomain struct {
	URN    string  `json:"parentDomain"`
	Domain *Domain `json:"-"`
}

func (i *inDomain) complete(_ *Node, below *Batch) { i.Domain = entityAs[*Domain](below, i.URN) }

// ParentDomains are the domains that contain the domain, the closest first.
func (d *Domain) ParentDomains(ctx context.Context) (*ParentDomainsResult, error) {
	result := &ParentDomainsResult{Domains: []Entity{}}
	for at := d; len(result.Domains) < maxParents; {
		in, err := aspect[inDomain](ctx, at.Node, model.AspectDomainProperties)
		if err != nil {
			return nil, err
		}
		if in == nil || in.Domain == nil {
			break
		}
		result.Domains = append(result.Domains, in.Domain)
		at = in.Domain
	}
	result.Count = len(result.Domains)
	return result, nil
}

// DisplayProperties reads how pages show the entity, such as its colour.
func (n *Node) DisplayProperties(ctx context.Context) (*DisplayProperties, error) {
	return aspect[DisplayProperties](ctx, n, model.AspectDisplayProperties)
}

// Entities searches the contents of the domain.
func (d *Domain) Entities(ctx context.Context, input *DomainEntitiesInput) (*SearchResults, error) {
	if input == nil {
		input = &DomainEntitiesInput{}
	}
	return d.members(ctx, "domains", input.Query, input.Start, input.Count, input.Filters)
}
