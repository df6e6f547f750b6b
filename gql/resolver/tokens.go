package resolver

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/access/tokens"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/gql/object"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

const day = 24 * time.Hour

// durations are how long tokens are valid; a token without a duration here never expires.
var durations = map[object.AccessTokenDuration]time.Duration{
	object.AccessTokenDurationOneHour: time.Hour, object.AccessTokenDurationOneDay: day, object.AccessTokenDurationOneWeek: 7 * day,
	object.AccessTokenDurationOneMonth: 30 * day, object.AccessTokenDurationThreeMonths: 90 * day,
	object.AccessTokenDurationSixMonths: 180 * day, object.AccessTokenDurationOneYear: 365 * day,
}

// makeToken makes an access token.
func (r *mutationResolver) makeToken(ctx context.Context, input object.CreateAccessTokenInput) (*object.AccessToken, error) {
	if r.Credentials == nil {
		return nil, errNoTokens
	}
	a := argumentsOf(ctx)
	request := access.TokenRequest{
		Type: tokens.Type(input.Type), Actor: a.urn(input.ActorUrn), For: durations[input.Duration], Name: input.Name,
		Description: optional.Or(input.Description, ""),
	}
	made := &object.AccessToken{}
	err := a.mutate(func() error {
		text, m, err := r.Credentials.MakeToken(ctx, request, a.by)
		if err != nil {
			return err
		}
		made.AccessToken = text
		made.Metadata, err = get[*object.AccessTokenMetadata](ctx, m.URN.String())
		return err
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// mayListTokens fails unless the caller may see the tokens that the filters select.
func (r *queryResolver) mayListTokens(ctx context.Context, filters []*object.FacetFilterInput) error {
	if r.Credentials == nil {
		return nil
	}
	var owners []string
	for _, f := range filters {
		plain := !optional.Or(f.Negated, false) && optional.Or(f.Condition, object.FilterOperatorEqual) == object.FilterOperatorEqual
		if f.Field == "ownerUrn" && plain {
			owners = f.Values
			if f.Value != nil {
				owners = append(owners, *f.Value)
			}
		}
	}
	return r.Credentials.MayListTokens(ctx, owners)
}

// serviceAccounts selects the users that are service accounts or, negated, all others.
func serviceAccounts(negated bool) *catalog.Filter {
	return &catalog.Filter{Or: []catalog.Conjunction{{And: []catalog.Criterion{{Field: "typeNames", Values: []string{edits.ServiceAccountType}, Negated: negated}}}}}
}

// serviceAccount returns a service account, or nil if a URN is not that of one.
func serviceAccount(ctx context.Context, u model.URN) (*object.ServiceAccount, error) {
	is, err := argumentsOf(ctx).edits.IsServiceAccount(ctx, u)
	if err != nil || !is {
		return nil, err
	}
	user, err := get[*object.CorpUser](ctx, u.String())
	if err != nil {
		return nil, err
	}
	return &object.ServiceAccount{CorpUser: user}, nil
}

// invite returns the link that lets people in with a role, or makes a new one. An invite with a role
// also needs the privilege that giving a role needs: else whoever may invite could become administrator.
func (r *Resolver) invite(ctx context.Context, role *string, renew bool) (*object.InviteToken, error) {
	if r.People == nil {
		return nil, errNoInvitations
	}
	if err := access.Require(ctx, access.ManageCredentials); err != nil {
		return nil, err
	}
	a := argumentsOf(ctx)
	with := a.urnOrNone(role)
	if a.err != nil {
		return nil, a.err
	}
	if !with.IsZero() {
		if err := access.Require(ctx, access.ManagePolicies); err != nil {
			return nil, err
		}
	}
	get := r.People.GetInvite
	if renew {
		get = r.People.RenewInvite
	}
	made, err := get(ctx, with, actorOf(ctx))
	if err != nil {
		return nil, err
	}
	return &object.InviteToken{InviteToken: made.Token}, nil
}
