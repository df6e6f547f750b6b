package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// Documentation is what was written about an entity, by whom.
type Documentation struct {
	Documentations []*DocumentationAssociation `json:"documentations"`
}

// MetadataAttribution is who stated something, and from what it follows.
type MetadataAttribution struct {
	Time      int64             `json:"time"`
	ActorURN  string            `json:"actor"`
	SourceURN string            `json:"source"`
	Detail    map[string]string `json:"sourceDetail"`
	Actor     Entity            `json:"-"`
	Source    Entity            `json:"-"`
}

// SourceDetail is how it follows.
func (a *MetadataAttribution) SourceDetail() []*StringMapEntry { return Pairs(a.Detail) }

func (d *Documentation) complete(_ *Node, below *Batch) {
	for _, one := range d.Documentations {
		if a := one.Attribution; a != nil {
			a.Actor, a.Source = below.Entity(a.ActorURN), below.Entity(a.SourceURN)
		}
	}
}

// Documentation reads what was written about the entity.
func (n *Node) Documentation(ctx context.Context) (*Documentation, error) {
	return aspect[Documentation](ctx, n, model.AspectDocumentation)
}
