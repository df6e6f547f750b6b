package object

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
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

// VersionsSearch searches the versions of the set, the latest first unless the input asks for
// another order.
func (s *VersionSet) VersionsSearch(ctx context.Context, input SearchAcrossEntitiesInput) (*SearchResults, error) {
	if input.SortInput == nil {
		input.SortInput = &SearchSortInput{SortCriterion: &SortCriterion{Field: search.VersionOrder, SortOrder: SortOrderDescending}}
	}
	if input.SearchFlags != nil {
		flags := *input.SearchFlags
		flags.FilterNonLatestVersions = nil
		input.SearchFlags = &flags
	}
	return s.searched(ctx, "versionsSearch", input, func(n *Node) (*catalog.Criterion, error) {
		return oneOf("versionSet", n.URN), nil
	})
}

// NamedVersionSet returns the version set with a URN. The version set need not be stored.
func (s *Session) NamedVersionSet(urn model.URN) *VersionSet {
	set, _ := s.NewBatch().entity(urn).(*VersionSet)
	return set
}
