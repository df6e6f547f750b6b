package object

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// DataProduct is a group of assets that are offered together.
type DataProduct struct{ *Node }

// DataProductProperties are the properties of a data product.
type DataProductProperties struct {
	Named       *string       `json:"name"`
	Description *string       `json:"description"`
	ExternalURL *string       `json:"externalUrl"`
	Assets      []destination `json:"assets"`
	Custom
	id string
}

func (p *DataProductProperties) complete(n *Node, _ *Batch) {
	p.own(n.URN)
	p.id = n.part(0)
}

// Name is the stated name, or else the last part of the URN.
func (p *DataProductProperties) Name() string {
	if p.Named != nil {
		return *p.Named
	}
	return p.id
}

// NumAssets is the number of the product's assets.
func (p *DataProductProperties) NumAssets() *int {
	n := len(p.Assets)
	return &n
}

// Properties are the properties of the data product.
func (p *DataProduct) Properties(ctx context.Context) (*DataProductProperties, error) {
	return aspect[DataProductProperties](ctx, p.Node, model.AspectDataProductProperties)
}

// Entities searches the assets of the product.
func (p *DataProduct) Entities(ctx context.Context, input *SearchAcrossEntitiesInput) (*SearchResults, error) {
	if input == nil {
		input = &SearchAcrossEntitiesInput{Query: "*"}
	}
	return p.searched(ctx, "entities", *input, func(n *Node) (*catalog.Criterion, error) {
		properties, err := (&DataProduct{n}).Properties(ctx)
		if err != nil || properties == nil {
			return nil, err
		}
		if assets := destinations(properties.Assets); len(assets) > 0 {
			return oneOf("urn", assets...), nil
		}
		return nil, nil
	})
}
