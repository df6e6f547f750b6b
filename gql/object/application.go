package object

import (
	"context"

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
	id string
}

func (p *ApplicationProperties) complete(n *Node, _ *Batch) {
	p.own(n.URN)
	p.id = n.part(0)
}

// Name is the stated name, else the last part of the URN.
func (p *ApplicationProperties) Name() string { return Or(p.Named, p.id) }

// Properties are its properties.
func (a *Application) Properties(ctx context.Context) (*ApplicationProperties, error) {
	return aspect[ApplicationProperties](ctx, a.Node, model.AspectApplicationProperties)
}
