package permit

import (
	"context"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// addOwnTokens marks the tokens among several entities that the caller has made or acts with: they are
// visible whatever the policies are, so that people can end their tokens.
func (p *Permissions) addOwnTokens(ctx context.Context, urns []string, sees []bool) error {
	own := p.SeenBy()
	if own == "" || p.SeesType(model.EntityDataHubAccessToken) {
		return nil
	}
	var tokens []string
	for i, urn := range urns {
		if !sees[i] && strings.HasPrefix(urn, tokenURNs) {
			tokens = append(tokens, urn)
		}
	}
	if len(tokens) == 0 {
		return nil
	}
	stored, err := p.store.LatestAspects(ctx, tokens, []string{model.AspectDataHubAccessTokenInfo})
	if err != nil {
		return catalog.StoreFailure(err)
	}
	for i, urn := range urns {
		for _, aspect := range stored[urn] {
			info, err := catalog.TreeOf(aspect.Value)
			if err != nil {
				return err
			}
			sees[i] = sees[i] || jsontree.Text(info, "ownerUrn") == own || jsontree.Text(info, "actorUrn") == own
		}
	}
	return nil
}

// tokenURNs is the beginning of the URNs of tokens.
const tokenURNs = "urn:li:" + model.EntityDataHubAccessToken + ":"
