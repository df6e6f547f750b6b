package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// Documentation is a list of texts about an entity, with their authors.
type Documentation struct {
	Documentations []*DocumentationAssociation `json:"documentations"`
}

// MetadataAttribution says who stated something, and from which source it follows.
type MetadataAttribution struct {
	Time      int64             `json:"time"`
	ActorURN  string            `json:"actor"`
	SourceURN string            `json:"source"`
	Detail    map[string]string `json:"sourceDetail"`
	Actor     Entity            `json:"-"`
	Source    Entity            `json:"-"`
}

// SourceDetail says how the statement follows from its source.
func (a *MetadataAttribution) SourceDetail() []*StringMapEntry { return Pairs(a.Detail) }

func (d *Documentation) complete(_ *Node, below *Batch) {
	for _, one := range d.Documentations {
		if a := one.Attribution; a != nil {
			a.Actor, a.Source = below.Entity(a.ActorURN), below.Entity(a.SourceURN)
		}
	}
}

// Documentation reads the texts about the entity.
func (n *Node) Documentation(ctx context.Context) (*Documentation, error) {
	return aspect[Documentation](ctx, n, model.AspectDocumentation)
}
