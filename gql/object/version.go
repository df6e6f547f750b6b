package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// VersionSet contains the versions of one thing.
type VersionSet struct{ *Node }

type versionSetProperties struct {
	Latest string `json:"latest"`
	latest Entity
}

func (p *versionSetProperties) complete(_ *Node, below *Batch) { p.latest = below.Entity(p.Latest) }

// LatestVersion is the latest version.
func (s *VersionSet) LatestVersion(ctx context.Context) (Entity, error) {
	p, err := stated[versionSetProperties](ctx, s.Node, model.AspectVersionSetProperties)
	return p.latest, err
}

// NamedVersionSet is a version set of which nothing needs to be stored.
func (s *Session) NamedVersionSet(urn model.URN) *VersionSet {
	set, _ := s.NewBatch().entity(urn).(*VersionSet)
	return set
}
