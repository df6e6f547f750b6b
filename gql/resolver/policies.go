package resolver

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/access/manage"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/gql/object"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// errNoPolicies is the error of a server that is not given the service of policies.
var errNoPolicies = catalog.Errorf(catalog.Invalid, "this server does not manage policies")

// noRoles refuses callers who may not give roles to people. It is the reference's text.
const noRoles = "Unauthorized to assign roles. Please contact your DataHub administrator."

// platformPrivileges are the privileges of the platform that the request's actor has.
func platformPrivileges(ctx context.Context) *object.PlatformPrivileges {
	holds := func(privileges ...string) bool { return permission.Holds(ctx, privileges...) }
	return &object.PlatformPrivileges{
		ViewAnalytics: holds("VIEW_ANALYTICS"), ManagePolicies: holds(access.ManagePolicies),
		ManageIdentities:             manage.Manages(ctx, model.EntityCorpuser, model.EntityCorpGroup),
		GeneratePersonalAccessTokens: holds("GENERATE_PERSONAL_ACCESS_TOKENS"),
		CreateDomains:                holds("CREATE_DOMAINS", "MANAGE_DOMAINS"),
		ManageDomains:                holds("MANAGE_DOMAINS"), ManageIngestion: holds("MANAGE_INGESTION"),
		ManageSecrets: holds("MANAGE_SECRETS"), ManageTokens: holds(access.ManageTokens), ManageTests: holds("MANAGE_TESTS"),
		ManageGlossaries: holds("MANAGE_GLOSSARIES"), ManageUserCredentials: holds(access.ManageCredentials),
		CreateTags: holds("CREATE_TAGS", "MANAGE_TAGS"), ManageTags: holds("MANAGE_TAGS"),
		ManageGlobalViews: holds("MANAGE_GLOBAL_VIEWS"), ManageOwnershipTypes: holds("MANAGE_GLOBAL_OWNERSHIP_TYPES"),
		CreateLogicalModels: holds("CREATE_LOGICAL_MODELS"), ViewTests: holds("VIEW_TESTS", "MANAGE_TESTS"), ManageDocuments: holds("MANAGE_DOCUMENTS"),
		ViewManageTags: holds("VIEW_MANAGE_TAGS", "MANAGE_TAGS"), ManageGlobalSettings: holds("MANAGE_GLOBAL_SETTINGS"),
		ManageGlobalAnnouncements:    holds("MANAGE_GLOBAL_ANNOUNCEMENTS"),
		CreateBusinessAttributes:     holds("CREATE_BUSINESS_ATTRIBUTE", "MANAGE_BUSINESS_ATTRIBUTE"),
		ManageBusinessAttributes:     holds("MANAGE_BUSINESS_ATTRIBUTE"),
		ManageStructuredProperties:   holds("MANAGE_STRUCTURED_PROPERTIES"),
		ViewStructuredPropertiesPage: holds("VIEW_STRUCTURED_PROPERTIES_PAGE"),
		ManageApplications:           manage.Manages(ctx, model.EntityApplication),
		ManageFeatures:               holds("MANAGE_FEATURES"), ManageHomePageTemplates: holds("MANAGE_HOME_PAGE_TEMPLATES"),
		ManageServiceAccounts: holds(access.ManageServiceAccounts),
	}
}

// policiesConfig lists the privileges that policies can name.
func (r *Resolver) policiesConfig() *object.PoliciesConfig {
	c := &object.PoliciesConfig{
		Enabled: r.Policies != nil && r.Policies.Enforced(), PlatformPrivileges: privilegesOf(policies.PlatformPrivileges()),
		ResourcePrivileges: []*object.ResourcePrivileges{},
	}
	for _, t := range policies.ResourceTypes() {
		one := &object.ResourcePrivileges{ResourceType: t.EntityType, ResourceTypeDisplayName: &t.DisplayName, Privileges: privilegesOf(t.Privileges)}
		if of, ok := object.TypeOf(t.EntityType); ok {
			one.EntityType = &of
		}
		c.ResourcePrivileges = append(c.ResourcePrivileges, one)
	}
	return c
}

func privilegesOf(known []policies.Privilege) []*object.Privilege {
	list := make([]*object.Privilege, len(known))
	for i := range known {
		list[i] = &object.Privilege{Type: known[i].Name, DisplayName: &known[i].DisplayName, Description: &known[i].Description}
	}
	return list
}

// listPolicies lists stored policies.
func listPolicies(ctx context.Context, input object.ListPoliciesInput) (*object.ListPoliciesResult, error) {
	if err := access.Require(ctx, access.ManagePolicies); err != nil {
		return nil, err
	}
	start, count := page(input.Start, input.Count)
	stored, found, err := list[*object.DataHubPolicy](ctx, search.Request{
		Types: []string{model.EntityDataHubPolicy}, Input: wordsOr(input.Query), Start: start, Count: count, Filter: object.FilterOf(input.OrFilters, nil),
	})
	if err != nil {
		return nil, err
	}
	listed := make([]*object.Policy, len(stored))
	for i, p := range stored {
		listed[i] = &object.Policy{DataHubPolicy: p}
	}
	return &object.ListPoliciesResult{Start: start, Count: count, Total: found.Total, Policies: listed}, nil
}

// policy writes an input into a policy. Parts that only this server knows stay unless the input names them.
func (a *arguments) policy(input *object.PolicyUpdateInput, p *policies.Policy) {
	p.Name, p.Description, p.Type, p.State = input.Name, optional.Or(input.Description, ""), policies.Type(input.Type), policies.State(input.State)
	p.Privileges = input.Privileges
	roles := p.Actors.Roles
	if input.Actors.Roles != nil {
		roles = input.Actors.Roles
	}
	p.Actors = policies.Actors{
		Users: a.names(input.Actors.Users), Groups: a.names(input.Actors.Groups), Roles: a.names(roles),
		Owners: input.Actors.ResourceOwners, OwnerTypes: a.names(input.Actors.ResourceOwnersTypes), Everybody: input.Actors.AllUsers, AnyGroup: input.Actors.AllGroups,
	}
	if input.Effect != nil {
		p.Effect = policies.Effect(*input.Effect)
	}
	if input.EndsAt != nil {
		p.EndsAt = time.Time{}
		if *input.EndsAt != 0 {
			p.EndsAt = time.UnixMilli(*input.EndsAt).UTC()
		}
	}
	p.Resources = a.policyResources(input.Resources, p.Resources)
}

// policyResources returns the resources of an input. The constraints of the stored policy stay.
func (a *arguments) policyResources(input *object.ResourceFilterInput, stored *policies.Resources) *policies.Resources {
	var constraints []policies.Criterion
	if stored != nil {
		constraints = stored.Constraints
	}
	if input == nil {
		if constraints == nil {
			return nil
		}
		return &policies.Resources{All: true, Filter: []policies.Criterion{}, Constraints: constraints}
	}
	r := &policies.Resources{Type: optional.Or(input.Type, ""), URNs: a.names(input.Resources), All: optional.Or(input.AllResources, false), Constraints: constraints}
	if input.Filter != nil {
		r.Filter = []policies.Criterion{}
		for _, c := range input.Filter.Criteria {
			if c != nil {
				r.Filter = append(r.Filter, policies.Criterion{Field: c.Field, Values: a.usual(c), Condition: policies.Condition(c.Condition)})
			}
		}
	}
	return r
}

// usual returns the values of a criterion, with URNs in the graph's spelling.
func (a *arguments) usual(c *object.PolicyMatchCriterionInput) []string {
	usual := slices.Clone(c.Values)
	if c.Condition == object.PolicyMatchConditionStartsWith {
		return usual
	}
	for i, value := range usual {
		if u, err := a.session.URN(value); err == nil {
			usual[i] = u.String()
		}
	}
	return usual
}

// names reads URNs in the graph's spelling, nil for nil.
func (a *arguments) names(texts []string) []string {
	if texts == nil {
		return nil
	}
	names := make([]string, len(texts))
	for i, u := range a.urns(texts) {
		names[i] = u.String()
	}
	return names
}

func (r *mutationResolver) createPolicy(ctx context.Context, input object.PolicyUpdateInput) (*string, error) {
	if r.Policies == nil {
		return nil, errNoPolicies
	}
	a := argumentsOf(ctx)
	var p policies.Policy
	a.policy(&input, &p)
	return named(a, func() (model.URN, error) { return r.Policies.Create(ctx, p, a.by) })
}

func (r *mutationResolver) updatePolicy(ctx context.Context, urn string, input object.PolicyUpdateInput) (*string, error) {
	if r.Policies == nil {
		return nil, errNoPolicies
	}
	a := argumentsOf(ctx)
	u := a.urn(urn)
	a.policy(&input, &policies.Policy{}) // so that wrong URNs are found before anything is written
	return named(a, func() (model.URN, error) {
		return r.Policies.Update(ctx, u, func(p *policies.Policy) { a.policy(&input, p) }, a.by)
	})
}

func (r *mutationResolver) deletePolicy(ctx context.Context, urn string) (*string, error) {
	if r.Policies == nil {
		return nil, errNoPolicies
	}
	a := argumentsOf(ctx)
	u := a.urn(urn)
	return named(a, func() (model.URN, error) { return u, r.Policies.Delete(ctx, u, a.by) })
}

// assignRole sets the role of users and groups.
func (r *mutationResolver) assignRole(ctx context.Context, input object.BatchAssignRoleInput) (bool, error) {
	a := argumentsOf(ctx)
	role, actors := a.urnOrNone(input.RoleUrn), a.urns(input.Actors)
	return succeeded(a.mutate(func() error {
		if !permission.Holds(ctx, access.ManagePolicies) {
			return &catalog.Error{Code: catalog.Forbidden, Message: noRoles}
		}
		if r.Policies != nil {
			defer r.Policies.Changed()
		}
		return a.edits.SetRole(ctx, role, actors, a.by)
	}))
}

func (r *queryResolver) grantedPrivileges(ctx context.Context, input object.GetGrantedPrivilegesInput) (*object.Privileges, error) {
	if r.Policies == nil {
		return nil, errNoPolicies
	}
	a := argumentsOf(ctx)
	actor := a.urn(input.ActorUrn)
	var resource manage.Resource
	if spec := input.ResourceSpec; spec != nil {
		resource.Type = spec.ResourceType
		if of := object.EntityType(strings.ToUpper(spec.ResourceType)); of.IsValid() {
			resource.Type = object.NameOf(of)
		}
		if spec.ResourceUrn != "" {
			resource.URN = a.urn(spec.ResourceUrn)
		}
	}
	if a.err != nil {
		return nil, a.err
	}
	granted, evaluations, err := r.Policies.Granted(ctx, actor, resource, optional.Or(input.IncludeEvaluationDetails, false))
	if err != nil {
		return nil, err
	}
	answer := &object.Privileges{Privileges: granted}
	for _, e := range evaluations {
		answer.EvaluationDetails = append(answer.EvaluationDetails, &object.PolicyEvaluationDetail{PolicyName: e.Policy, Reason: e.Reason})
	}
	return answer, nil
}

func (r *queryResolver) debugAccess(ctx context.Context, user string) (*object.DebugAccessResult, error) {
	if r.Policies == nil {
		return nil, errNoPolicies
	}
	a := argumentsOf(ctx)
	u := a.urn(user)
	if a.err != nil {
		return nil, a.err
	}
	d, err := r.Policies.Debug(ctx, u)
	if err != nil {
		return nil, err
	}
	some := func(texts []string) []string { return append([]string{}, texts...) }
	return &object.DebugAccessResult{
		Roles: some(d.Roles), Groups: some(d.Groups), GroupsWithRoles: some(d.GroupsWithRoles), RolesViaGroups: some(d.RolesViaGroups),
		AllRoles: some(d.AllRoles), Policies: some(d.Policies), Privileges: some(d.Privileges),
	}, nil
}

func (r *queryResolver) explainAccess(ctx context.Context, input object.ExplainAccessInput) (*object.AccessExplanation, error) {
	if r.Policies == nil {
		return nil, errNoPolicies
	}
	a := argumentsOf(ctx)
	actor, resource := a.urn(input.ActorUrn), a.urnOrNone(input.ResourceUrn)
	if a.err != nil {
		return nil, a.err
	}
	e, err := r.Policies.Explain(ctx, actor, input.Privilege, resource)
	if err != nil {
		return nil, err
	}
	answer := &object.AccessExplanation{Allowed: e.Allowed, Enforced: e.Enforced, Sentence: e.Sentence, Privilege: orNil(e.Granted), Near: []*object.NearPolicy{}}
	if e.Policy != nil {
		answer.PolicyUrn, answer.PolicyName = orNil(e.Policy.URN), orNil(e.Policy.Name)
	}
	if e.Effect != "" {
		effect := object.PolicyEffect(e.Effect)
		answer.Effect = &effect
	}
	if e.Why != nil {
		answer.Because, answer.BecauseOf = orNil(e.Why.Kind), orNil(e.Why.Name)
	}
	for i := range e.Near {
		n := &e.Near[i]
		answer.Near = append(answer.Near, &object.NearPolicy{PolicyUrn: n.URN, PolicyName: n.Name, Privilege: n.Privilege, Lacks: n.Lacks})
	}
	return answer, nil
}

// orNil returns a text, nil for "".
func orNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
