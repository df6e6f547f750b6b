package object

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// DataHubRole is a set of privileges under a name.
type DataHubRole struct{ *Node }

type roleInfo struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

func (r *DataHubRole) info(ctx context.Context) (*roleInfo, error) {
	return stated[roleInfo](ctx, r.Node, model.AspectDataHubRoleInfo)
}

// Name is the name of the role.
func (r *DataHubRole) Name(ctx context.Context) (string, error) {
	info, err := r.info(ctx)
	return info.Name, err
}

// Description is the purpose of the role.
func (r *DataHubRole) Description(ctx context.Context) (string, error) {
	info, err := r.info(ctx)
	return info.Description, err
}

// DataHubPolicy is a rule about the privileges of actors.
type DataHubPolicy struct{ *Node }

// policyInfo is the stored form of a policy.
type policyInfo struct {
	Name        string          `json:"displayName"`
	Description *string         `json:"description"`
	Type        PolicyType      `json:"type"`
	State       PolicyState     `json:"state"`
	Privileges  []string        `json:"privileges"`
	Resources   *ResourceFilter `json:"resources"`
	Actors      *ActorFilter    `json:"actors"`
	Editable    *bool           `json:"editable"`
}

func (p *policyInfo) complete(_ *Node, below *Batch) {
	if p.Actors == nil {
		p.Actors = &ActorFilter{}
	}
	p.Actors.complete(below)
	if p.Resources == nil {
		return
	}
	for _, filter := range []*PolicyMatchFilter{p.Resources.Filter, p.Resources.PrivilegeConstraints} {
		if filter == nil {
			continue
		}
		for _, c := range filter.Criteria {
			c.complete(below)
		}
	}
}

// policyRule is the part of a policy that the reference does not have.
type policyRule struct {
	Effect PolicyEffect `json:"effect"`
	State  PolicyState  `json:"state"`
	EndsAt *int64       `json:"endsAt"`
}

func (p *DataHubPolicy) rule(ctx context.Context) (*policyRule, error) {
	return stated[policyRule](ctx, p.Node, model.AspectHeadwaterPolicyRule)
}

// ActorFilter selects the actors of a policy.
type ActorFilter struct {
	Users                  []string               `json:"users"`
	Groups                 []string               `json:"groups"`
	Roles                  []string               `json:"roles"`
	ResourceOwners         bool                   `json:"resourceOwners"`
	ResourceOwnersTypes    []string               `json:"resourceOwnersTypes"`
	AllUsers               bool                   `json:"allUsers"`
	AllGroups              bool                   `json:"allGroups"`
	ResolvedOwnershipTypes []*OwnershipTypeEntity `json:"-"`
	ResolvedUsers          []*CorpUser            `json:"-"`
	ResolvedGroups         []*CorpGroup           `json:"-"`
	ResolvedRoles          []*DataHubRole         `json:"-"`
}

func (a *ActorFilter) complete(below *Batch) {
	a.ResolvedOwnershipTypes = entitiesAs[*OwnershipTypeEntity](below, a.ResourceOwnersTypes)
	a.ResolvedUsers = entitiesAs[*CorpUser](below, a.Users)
	a.ResolvedGroups = entitiesAs[*CorpGroup](below, a.Groups)
	a.ResolvedRoles = entitiesAs[*DataHubRole](below, a.Roles)
}

// PolicyMatchCriterion is a condition on the resources of a policy.
type PolicyMatchCriterion struct {
	Field     string                       `json:"field"`
	Texts     []string                     `json:"values"`
	Condition *PolicyMatchCondition        `json:"condition"`
	Values    []*PolicyMatchCriterionValue `json:"-"`
}

func (c *PolicyMatchCriterion) complete(below *Batch) {
	c.Values = make([]*PolicyMatchCriterionValue, len(c.Texts))
	for i, text := range c.Texts {
		c.Values[i] = &PolicyMatchCriterionValue{Value: text, Entity: below.Entity(text)}
	}
}

func (p *DataHubPolicy) info(ctx context.Context) (*policyInfo, error) {
	info, err := stated[policyInfo](ctx, p.Node, model.AspectDataHubPolicyInfo)
	if info.Actors == nil {
		info.Actors = &ActorFilter{}
	}
	return info, err
}

// Name is the name of the policy.
func (p *DataHubPolicy) Name(ctx context.Context) (string, error) {
	info, err := p.info(ctx)
	return info.Name, err
}

// Description is the purpose of the policy.
func (p *DataHubPolicy) Description(ctx context.Context) (*string, error) {
	info, err := p.info(ctx)
	return info.Description, err
}

// PolicyType says whether the policy is about the catalog or about metadata.
func (p *DataHubPolicy) PolicyType(ctx context.Context) (PolicyType, error) {
	info, err := p.info(ctx)
	return info.Type, err
}

// State says whether the policy is in force. The state of a policy that denies or ends is in its rule.
func (p *DataHubPolicy) State(ctx context.Context) (PolicyState, error) {
	rule, err := p.rule(ctx)
	if err != nil || rule.State != "" {
		return rule.State, err
	}
	info, err := p.info(ctx)
	return info.State, err
}

// Effect says whether the policy allows or denies its privileges.
func (p *DataHubPolicy) Effect(ctx context.Context) (PolicyEffect, error) {
	rule, err := p.rule(ctx)
	if err != nil || rule.Effect == "" {
		return PolicyEffectAllow, err
	}
	return rule.Effect, nil
}

// EndsAt is the moment from which the policy has no effect, nil without one.
func (p *DataHubPolicy) EndsAt(ctx context.Context) (*int64, error) {
	rule, err := p.rule(ctx)
	return rule.EndsAt, err
}

// Resources are the resources of the policy.
func (p *DataHubPolicy) Resources(ctx context.Context) (*ResourceFilter, error) {
	info, err := p.info(ctx)
	return info.Resources, err
}

// Privileges are the privileges that the policy gives.
func (p *DataHubPolicy) Privileges(ctx context.Context) ([]string, error) {
	info, err := p.info(ctx)
	return append([]string{}, info.Privileges...), err
}

// Actors are the actors of the policy.
func (p *DataHubPolicy) Actors(ctx context.Context) (*ActorFilter, error) {
	info, err := p.info(ctx)
	return info.Actors, err
}

// Editable says whether people may change the policy.
func (p *DataHubPolicy) Editable(ctx context.Context) (bool, error) {
	info, err := p.info(ctx)
	return optional.Or(info.Editable, true), err
}

// Policy is a policy in the form of a listing.
type Policy struct{ *DataHubPolicy }

// Type is the type of the policy, not the type of its entity.
func (p *Policy) Type(ctx context.Context) (PolicyType, error) { return p.PolicyType(ctx) }

// AccessTokenMetadata is the metadata of an access token. It never has the token itself.
type AccessTokenMetadata struct{ *Node }

type tokenInfo struct {
	Name        string  `json:"name"`
	Description *string `json:"description"`
	ActorURN    string  `json:"actorUrn"`
	OwnerURN    string  `json:"ownerUrn"`
	CreatedAt   int64   `json:"createdAt"`
	ExpiresAt   *int64  `json:"expiresAt"`
	owner       *CorpUser
}

func (i *tokenInfo) complete(_ *Node, below *Batch) { i.owner = entityAs[*CorpUser](below, i.OwnerURN) }

func (t *AccessTokenMetadata) info(ctx context.Context) (*tokenInfo, error) {
	return stated[tokenInfo](ctx, t.Node, model.AspectDataHubAccessTokenInfo)
}

// ID is the last part of the URN.
func (t *AccessTokenMetadata) ID() string { return t.part(0) }

// Name is the name of the token.
func (t *AccessTokenMetadata) Name(ctx context.Context) (string, error) {
	info, err := t.info(ctx)
	return info.Name, err
}

// Description is the purpose of the token.
func (t *AccessTokenMetadata) Description(ctx context.Context) (*string, error) {
	info, err := t.info(ctx)
	return info.Description, err
}

// ActorUrn is the URN of the actor who acts with the token.
func (t *AccessTokenMetadata) ActorUrn(ctx context.Context) (string, error) {
	info, err := t.info(ctx)
	return info.ActorURN, err
}

// OwnerUrn is the URN of the actor who created the token.
func (t *AccessTokenMetadata) OwnerUrn(ctx context.Context) (string, error) {
	info, err := t.info(ctx)
	return info.OwnerURN, err
}

// CreatedAt is the time at which the token was created, in epoch milliseconds.
func (t *AccessTokenMetadata) CreatedAt(ctx context.Context) (int64, error) {
	info, err := t.info(ctx)
	return info.CreatedAt, err
}

// ExpiresAt is the time at which the token expires, in epoch milliseconds.
func (t *AccessTokenMetadata) ExpiresAt(ctx context.Context) (*int64, error) {
	info, err := t.info(ctx)
	return info.ExpiresAt, err
}

// Owner is the user who created the token.
func (t *AccessTokenMetadata) Owner(ctx context.Context) (*CorpUser, error) {
	info, err := t.info(ctx)
	if err != nil {
		return nil, err
	}
	return info.owner, nil
}

// ServiceAccount is a user for a program.
type ServiceAccount struct{ *CorpUser }

// Name is the id of the account.
func (a *ServiceAccount) Name() string { return a.part(0) }

// DisplayName is the name of the account for people.
func (a *ServiceAccount) DisplayName(ctx context.Context) (*string, error) {
	info, err := a.Info(ctx)
	if info == nil {
		return nil, err
	}
	return info.DisplayName, err
}

// Description is the purpose of the account.
func (a *ServiceAccount) Description(ctx context.Context) (*string, error) {
	info, err := a.Info(ctx)
	if info == nil {
		return nil, err
	}
	return info.Title, err
}

// made returns the stamp of the account's profile.
func (a *ServiceAccount) made(ctx context.Context) (*catalog.AuditStamp, error) {
	if err := a.batch.load(ctx, model.AspectCorpUserInfo); err != nil {
		return nil, err
	}
	a.batch.loading.Lock()
	defer a.batch.loading.Unlock()
	info, stored := a.aspects[model.AspectCorpUserInfo]
	if !stored {
		return nil, nil
	}
	return &info.Created, nil
}

// CreatedBy is the URN of the account's maker.
func (a *ServiceAccount) CreatedBy(ctx context.Context) (*string, error) {
	stamp, err := a.made(ctx)
	if stamp == nil {
		return nil, err
	}
	return &stamp.Actor, nil
}

// CreatedAt is the time at which the account was made, in epoch milliseconds.
func (a *ServiceAccount) CreatedAt(ctx context.Context) (*int64, error) {
	stamp, err := a.made(ctx)
	if stamp == nil {
		return nil, err
	}
	return &stamp.Time, nil
}

// UpdatedAt is CreatedAt, because nothing of an account but its view can be changed.
func (a *ServiceAccount) UpdatedAt(ctx context.Context) (*int64, error) { return a.CreatedAt(ctx) }

// DefaultView is the view that the account uses, nil if it uses none.
func (a *ServiceAccount) DefaultView(ctx context.Context) (*DataHubView, error) {
	settings, err := a.Settings(ctx)
	if err != nil || settings == nil || settings.Views == nil {
		return nil, err
	}
	return settings.Views.DefaultView(ctx)
}
