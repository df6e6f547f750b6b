package manage

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// Explanation says whether an actor may do something, and why.
type Explanation struct {
	Actor string `json:"actor"`
	// Privilege is the name that was asked for: of a privilege, or of an operation such as READ.
	Privilege string `json:"privilege"`
	// Resource is the URN of the entity, absent for a question about the server.
	Resource string `json:"urn,omitempty"`
	Allowed  bool   `json:"allowed"`
	// Enforced is false while authentication is off: then policies have no effect.
	Enforced bool `json:"enforced"`
	// Granted is the privilege on which the answer rests, absent if no policy grants any.
	Granted string `json:"granted,omitempty"`
	// Policy decides. It is absent if no policy does.
	Policy *PolicyName `json:"policy,omitempty"`
	// Effect is the effect of the policy, ALLOW or DENY.
	Effect string `json:"effect,omitempty"`
	// Why says by which name the policy concerns the actor.
	Why *Why `json:"why,omitempty"`
	// Near are policies that would allow the operation if they held.
	Near []Near `json:"near"`
	// Sentence is the explanation as one sentence for people.
	Sentence string `json:"sentence"`
}

// PolicyName names a policy.
type PolicyName struct {
	// URN is absent for the rule by which everybody may read their own entity.
	URN  string `json:"urn,omitempty"`
	Name string `json:"name"`
}

// Why is the reason for which a policy concerns an actor.
type Why struct {
	// Kind is everybody, user, group, anyGroup, role, owner or system.
	Kind string `json:"kind"`
	// Name is the URN of the user, group or role.
	Name string `json:"name,omitempty"`
}

// Near is a policy that would allow a refused request, with the conditions that fail.
type Near struct {
	URN       string   `json:"urn"`
	Name      string   `json:"name"`
	Privilege string   `json:"privilege"`
	Lacks     []string `json:"lacks"`
}

// Explain says whether an actor may do something and why, for the actor and for those who manage
// policies. The name is that of a privilege or of an operation. The resource may be zero.
func (s *Service) Explain(ctx context.Context, actor model.URN, name string, resource model.URN) (*Explanation, error) {
	if err := mayAsk(ctx, actor, access.Standard); err != nil {
		return nil, err
	}
	all, err := s.Permit.Policies(ctx)
	if err != nil {
		return nil, err
	}
	question, _, err := s.ask(ctx, actor, name, resource, all, s.Permit.Compile(all))
	if err != nil {
		return nil, err
	}
	question.tell = permission.Holds(ctx, access.ManagePolicies)
	return s.explain(question), nil
}

// ask returns a question with the rights and facts that its answer depends on, and the state of its actor.
func (s *Service) ask(ctx context.Context, actor model.URN, name string, resource model.URN, all []policies.Policy, set *policies.Set) (*asked, access.ActorState, error) {
	privileges, err := suffice(name, resource.EntityType())
	if err != nil {
		return nil, access.ActorState{}, err
	}
	who, err := s.actorNamed(ctx, actor)
	if err != nil {
		return nil, who, err
	}
	entity, err := s.resource(ctx, resource)
	if err != nil {
		return nil, who, err
	}
	return &asked{
		actor: actor.String(), name: name, privileges: privileges, resource: entity, denied: who.Denied, all: all, rights: set.Rights(who.Policies),
	}, who, nil
}

// asked is a question with the rights and facts that its answer depends on.
type asked struct {
	actor, name string
	privileges  []string
	resource    *policies.Resource
	denied      string
	all         []policies.Policy
	rights      *policies.Rights
	// tell reports whether the caller may know the facts of the resource and the names of others with rights.
	tell bool
	// supposed: the question is about policies that need not be stored.
	supposed bool
}

func (s *Service) explain(a *asked) *Explanation {
	e := &Explanation{Actor: a.actor, Privilege: a.name, Enforced: s.Enforced() || a.supposed, Near: []Near{}}
	if a.resource != nil {
		e.Resource = a.resource.URN
	}
	if a.denied != "" {
		e.Sentence = sentence(e, &policies.Decision{}, a.denied)
		return e
	}
	d := a.rights.Decide(a.privileges, a.resource)
	e.Allowed, e.Granted, e.Effect = d.Allowed, d.Privilege, string(d.Effect)
	if d.Policy != "" {
		e.Policy = &PolicyName{s.urnOf(d.Policy, a.all), d.Name}
	}
	if d.Why.Kind != "" {
		e.Why = &Why{string(d.Why.Kind), d.Why.Name}
	}
	for i := range d.Near {
		n := &d.Near[i]
		near := Near{URN: s.urnOf(n.Policy, a.all), Name: n.Name, Privilege: n.Privilege}
		for k := range n.Failed {
			near.Lacks = append(near.Lacks, lack(&n.Failed[k], a.tell))
		}
		e.Near = append(e.Near, near)
	}
	e.Sentence = sentence(e, &d, "")
	return e
}

// urnOf returns the URN of the policy with an id, "" for the rule that is in every set.
func (s *Service) urnOf(id string, all []policies.Policy) string {
	at := slices.IndexFunc(all, func(p policies.Policy) bool { return p.ID == id })
	if at < 0 {
		return ""
	}
	u, err := s.urnFor(&all[at])
	if err != nil {
		return id
	}
	return u.String()
}

// resource reads the facts of a resource, nil for none.
func (s *Service) resource(ctx context.Context, u model.URN) (*policies.Resource, error) {
	if u.IsZero() {
		return nil, nil
	}
	found, err := s.Permit.Resources(ctx, u)
	if err != nil {
		return nil, err
	}
	return found[u.String()], nil
}

// suffice returns the privileges each of which alone permits an operation on a type of entity. name is the
// operation or a privilege.
func suffice(name, entityType string) ([]string, error) {
	operations := policies.Operations()
	if o := policies.Operation(name); slices.Contains(operations, o) {
		return policies.Group(o, entityType), nil
	}
	known := slices.Clone(policies.Names())
	if slices.Contains(known, name) {
		return []string{name}, nil
	}
	for _, o := range operations {
		known = append(known, string(o))
	}
	return nil, catalog.Errorf(catalog.Invalid, "%s", policies.Unknown("privilege", "privileges", name, known))
}

// Evaluation is a policy with the reason for which it grants something or does not.
type Evaluation struct{ Policy, Reason string }

// Resource is an entity that a question is about or, without a URN, a type. The zero Resource is the
// server.
type Resource struct {
	Type string
	URN  model.URN
}

// Granted returns the privileges that an actor has on a resource. Those who manage policies may ask about everybody, and for evaluations of all policies.
func (s *Service) Granted(ctx context.Context, actor model.URN, resource Resource, details bool) ([]string, []Evaluation, error) {
	if err := mayAsk(ctx, actor, notGranted); err != nil {
		return nil, nil, err
	}
	if details {
		if err := require(ctx); err != nil {
			return nil, nil, err
		}
	}
	all, err := s.Permit.Policies(ctx)
	if err != nil {
		return nil, nil, err
	}
	who, err := s.actorNamed(ctx, actor)
	if err != nil || who.Denied != "" {
		return []string{}, nil, err
	}
	entity, err := s.resource(ctx, resource.URN)
	if err != nil {
		return nil, nil, err
	}
	if entity == nil && resource.Type != "" {
		entity = &policies.Resource{Type: resource.Type}
	}
	granted := append([]string{}, s.Permit.Compile(all).Rights(who.Policies).Granted(entity)...)
	if !details {
		return granted, nil, nil
	}
	var evaluations []Evaluation
	for i := range all {
		evaluations = append(evaluations, s.evaluate(&all[i], who.Policies, entity))
	}
	return granted, evaluations, nil
}

// evaluate judges a policy by itself.
func (s *Service) evaluate(p *policies.Policy, who policies.Actor, entity *policies.Resource) Evaluation {
	alone, does := *p, "grants"
	if p.Effect == policies.Deny {
		alone.Effect, does = policies.Allow, "denies"
	}
	if slices.Contains(p.Privileges, policies.EveryPrivilege) {
		alone.Privileges = []string{editEntity} // a denial of everything reaches each privilege alike
	}
	rights := s.Permit.Compile([]policies.Policy{alone}).Rights(who)
	reason := does + " nothing more than everybody has"
	for _, privilege := range alone.Privileges {
		d := rights.Decide([]string{privilege}, entity)
		if d.Allowed && d.Policy == p.ID {
			return Evaluation{p.Name, does + " its privileges to " + d.Why.String()}
		}
		if len(d.Near) > 0 {
			reason = does + " nothing: " + lackOf(&d.Near[0])
		}
	}
	return Evaluation{p.Name, reason}
}

const editEntity = "EDIT_ENTITY"

// Debug contains the policies and roles that decide about a user.
type Debug struct {
	Roles, Groups, GroupsWithRoles, RolesViaGroups, AllRoles, Policies, Privileges []string
}

// Debug returns the policies and roles that decide about a user.
func (s *Service) Debug(ctx context.Context, user model.URN) (*Debug, error) {
	if !Manages(ctx, model.EntityCorpuser, model.EntityCorpGroup) {
		return nil, &catalog.Error{Code: catalog.Forbidden, Message: access.Standard}
	}
	all, err := s.Permit.Policies(ctx)
	if err != nil {
		return nil, err
	}
	state, err := s.actorNamed(ctx, user)
	if err != nil {
		return nil, err
	}
	who := &state.Policies
	d := &Debug{Roles: who.Roles, Groups: who.Groups, RolesViaGroups: distinct(who.GroupRoles)}
	d.AllRoles = distinct(slices.Concat(d.Roles, d.RolesViaGroups))
	if d.GroupsWithRoles, err = s.withRoles(ctx, who.Groups); err != nil || state.Denied != "" {
		return d, err
	}
	d.Privileges = s.Permit.Compile(all).Rights(*who).Granted(nil)
	for i := range all {
		if concerns(&all[i], who) {
			d.Policies = append(d.Policies, all[i].URN)
		}
	}
	return d, nil
}

// withRoles returns the groups that have a role.
func (s *Service) withRoles(ctx context.Context, groups []string) ([]string, error) {
	urns := make([]model.URN, len(groups))
	for i, group := range groups {
		urns[i] = model.StoredURN(group)
	}
	if len(urns) == 0 {
		return nil, nil
	}
	stored, err := s.Catalog.Stored(ctx, urns, catalog.StoredAspects{Names: []string{model.AspectRoleMembership}})
	var found []string
	for i := range stored {
		for _, aspect := range stored[i].Aspects {
			if value, err := catalog.TreeOf(aspect.Value); err == nil && len(jsontree.Texts(value, "roles")) > 0 {
				found = append(found, stored[i].URN)
			}
		}
	}
	return found, err
}

// concerns reports whether a policy names an actor. A policy about owners counts, because the actor may own
// something.
func concerns(p *policies.Policy, who *policies.Actor) bool {
	a := &p.Actors
	in := func(of, among []string) bool {
		return slices.ContainsFunc(of, func(name string) bool { return slices.Contains(among, name) })
	}
	return a.Everybody || a.Owners || a.AnyGroup && len(who.Groups) > 0 || slices.Contains(a.Users, who.URN) ||
		in(who.Groups, a.Groups) || in(who.Roles, a.Roles) || in(who.GroupRoles, a.Roles)
}

func distinct(texts []string) []string {
	sorted := slices.Sorted(slices.Values(texts))
	return slices.Compact(sorted)
}

// Manages reports whether the caller may change and delete entities of all of some types.
func Manages(ctx context.Context, entityTypes ...string) bool {
	var questions []permission.Question
	for _, entityType := range entityTypes {
		update, remove := policies.Manages(entityType)
		questions = append(questions, permission.Question{Type: entityType, Privileges: update}, permission.Question{Type: entityType, Privileges: remove})
	}
	return permission.RequireFor(ctx, "manage these", questions...) == nil
}
