package object

import (
	"context"

	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// Application is a program or product that uses data.
type Application struct{ *Node }

// ApplicationProperties are the properties of an application.
type ApplicationProperties struct {
	Named       *string `json:"name"`
	Description *string `json:"description"`
	ExternalURL *string `json:"externalUrl"`
	Custom
	of *Node
}

func (p *ApplicationProperties) complete(n *Node, _ *Batch) {
	p.own(n.URN)
	p.of = n
}

// Name is the stated name, or else the last part of the URN.
func (p *ApplicationProperties) Name() string { return optional.Or(p.Named, p.of.part(0)) }

// Properties are the properties of the application.
func (a *Application) Properties(ctx context.Context) (*ApplicationProperties, error) {
	return aspect[ApplicationProperties](ctx, a.Node, model.AspectApplicationProperties)
}

// NumAssets counts the assets that name the application.
func (p *ApplicationProperties) NumAssets(ctx context.Context) (*int, error) {
	none := 0
	found, err := p.of.Relationships(ctx, RelationshipsInput{Types: []string{model.RelationshipAssociatedWith}, Direction: RelationshipDirectionIncoming, Count: &none})
	if err != nil {
		return nil, err
	}
	return found.Total, nil
}

// applications are the applications of an asset.
type applications struct {
	URNs  []string `json:"applications"`
	known []*ApplicationAssociation
}

func (a *applications) complete(n *Node, below *Batch) {
	for _, application := range entitiesAs[*Application](below, a.URNs) {
		a.known = append(a.known, &ApplicationAssociation{Application: application, AssociatedUrn: n.URN})
	}
}

// Applications are the applications of the asset.
func (n *Node) Applications(ctx context.Context) ([]*ApplicationAssociation, error) {
	stored, err := stated[applications](ctx, n, model.AspectApplications)
	return stored.known, err
}

// Application is the first application of the asset, nil if it has none.
func (n *Node) Application(ctx context.Context) (*ApplicationAssociation, error) {
	all, err := n.Applications(ctx)
	if len(all) == 0 {
		return nil, err
	}
	return all[0], err
}
