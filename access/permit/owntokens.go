package permit

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// ownTokens fills in which of several entities are tokens that the caller has made or acts with: they are
// visible whatever the policies say, so that people can end their tokens. It returns the rest.
func (p *Permissions) ownTokens(ctx context.Context, urns []string, visible map[string]bool) ([]string, error) {
	isToken := func(urn string) bool { return model.StoredURN(urn).EntityType() == model.EntityDataHubAccessToken }
	if !slices.ContainsFunc(urns, isToken) || p.SeesType(model.EntityDataHubAccessToken) {
		return urns, nil
	}
	var tokens, rest []string
	for _, urn := range urns {
		if isToken(urn) {
			tokens = append(tokens, urn)
		} else {
			rest = append(rest, urn)
		}
	}
	stored, err := p.store.LatestAspects(ctx, tokens, []string{model.AspectDataHubAccessTokenInfo})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	for _, urn := range tokens {
		for _, aspect := range stored[urn] {
			info, err := catalog.TreeOf(aspect.Value)
			if err != nil {
				return nil, err
			}
			own := p.SeenBy()
			visible[urn] = own != "" && (jsontree.Text(info, "ownerUrn") == own || jsontree.Text(info, "actorUrn") == own)
		}
		if !visible[urn] {
			rest = append(rest, urn)
		}
	}
	return rest, nil
}
