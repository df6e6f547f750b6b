package policies

import (
	"cmp"
	"slices"
)

// Decision is an answer with its reason.
type Decision struct {
	Allowed bool
	// Privilege is the privilege that the answer rests on: the one that was granted or denied, "" if no
	// rule grants any.
	Privilege string
	// Policy is the ID, and Name the name, of the policy that decides, "" if no policy does, or the
	// actor is the system.
	Policy, Name string
	// Effect is the effect of the deciding policy, "" if no policy decides.
	Effect Effect
	// Why says by which name the policy concerns the actor.
	Why Reason
	// Near are the policies that would allow a refused question if their conditions held; the policies with
	// the fewest failing conditions come first.
	Near []Near
}

// Reason says why a policy concerns an actor.
type Reason struct {
	Kind ReasonKind
	// Name is the URN of the user, group or role, or of the owner, "" if the kind needs none.
	Name string
}

// ReasonKind is the kind of a Reason.
type ReasonKind string

// The reasons.
const (
	AsSystem    ReasonKind = "system"
	AsEverybody ReasonKind = "everybody"
	AsUser      ReasonKind = "user"
	AsGroup     ReasonKind = "group"
	AsAnyGroup  ReasonKind = "anyGroup"
	AsRole      ReasonKind = "role"
	AsOwner     ReasonKind = "owner"
)

// Near is a policy that would have allowed something.
type Near struct {
	Policy, Name, Privilege string
	Failed                  []Failure
}

// Failure is a point in which a policy did not hold.
type Failure struct {
	Kind FailureKind
	// Field, Condition and Values are the members of the criterion; Has are the values of the resource.
	// For the kind FailedActor, Values are the actors whom the policy concerns. For FailedConstraint, Has
	// is the sub-resource.
	Field       Field
	Condition   Condition
	Values, Has []string
}

// FailureKind is the kind of a Failure.
type FailureKind string

// The kinds of failures.
const (
	FailedState      FailureKind = "state"      // the policy is not active, or has an unknown effect
	FailedEnd        FailureKind = "end"        // the policy has ended
	FailedActor      FailureKind = "actor"      // the policy does not concern the actor
	FailedResource   FailureKind = "resource"   // the policy is about resources, the question is not
	FailedCriterion  FailureKind = "criterion"  // the resource does not fulfil a condition
	FailedConstraint FailureKind = "constraint" // the added or removed entity does not fulfil the constraints
)

// maxNear is the number of policies that a decision names.
const maxNear = 10

// Decide is Allows with the reason.
func (r *Rights) Decide(privileges []string, resource *Resource) Decision {
	if r.actor.System {
		return Decision{Allowed: true, Why: Reason{Kind: AsSystem}}
	}
	var denied *Decision
	for _, privilege := range privileges {
		g := r.of[privilege]
		if g == nil {
			continue
		}
		allowed := r.first(g.allow, resource)
		if allowed == nil {
			continue
		}
		by := r.first(g.deny, resource)
		if by == nil {
			by = r.first(r.denied, resource)
		}
		if by == nil {
			return r.decision(privilege, allowed, resource)
		}
		if denied == nil {
			d := r.decision(privilege, by, resource)
			denied = &d
		}
	}
	refused := Decision{}
	if denied != nil {
		refused = *denied
	}
	refused.Near = r.near(privileges, resource)
	return refused
}

func (r *Rights) decision(privilege string, by *held, resource *Resource) Decision {
	d := Decision{Allowed: !by.denies(), Privilege: privilege, Policy: by.ID, Name: by.Name, Effect: Allow, Why: r.reason(by, resource)}
	if by.denies() {
		d.Effect = Deny
	}
	return d
}

func (r *Rights) reason(h *held, resource *Resource) Reason {
	a := &h.Actors
	switch {
	case slices.Contains(a.Users, r.actor.URN) && r.actor.URN != "":
		return Reason{AsUser, r.actor.URN}
	case a.Everybody:
		return Reason{Kind: AsEverybody}
	}
	for _, group := range r.actor.Groups {
		if slices.Contains(a.Groups, group) {
			return Reason{AsGroup, group}
		}
	}
	for _, roles := range [][]string{r.actor.Roles, r.actor.GroupRoles} {
		for _, role := range roles {
			if slices.Contains(a.Roles, role) {
				return Reason{AsRole, role}
			}
		}
	}
	if a.AnyGroup && len(r.actor.Groups) > 0 {
		return Reason{Kind: AsAnyGroup}
	}
	for _, owner := range resource.Owners {
		if r.owns(h.rule, &Resource{URN: resource.URN, Owners: []Owner{owner}}) {
			return Reason{AsOwner, owner.URN}
		}
	}
	return Reason{Kind: AsOwner}
}

// near returns the policies that would allow one of the privileges if they did not fail.
func (r *Rights) near(privileges []string, resource *Resource) []Near {
	var found []Near
	seen := map[*rule]bool{}
	for _, privilege := range privileges {
		for _, rule := range r.set.byPrivilege[privilege] {
			if rule.denies() || seen[rule] || privilege == EveryPrivilege {
				continue
			}
			seen[rule] = true
			if failed := r.failures(rule, resource); len(failed) > 0 {
				found = append(found, Near{rule.ID, rule.Name, privilege, failed})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Near) int { return cmp.Compare(len(a.Failed), len(b.Failed)) })
	return found[:min(len(found), maxNear)]
}

func (r *Rights) failures(rule *rule, resource *Resource) []Failure {
	var failed []Failure
	if rule.idle != "" {
		failed = append(failed, Failure{Kind: rule.idle})
	}
	if !r.concerned(rule, resource) {
		a := &rule.Actors
		failed = append(failed, Failure{Kind: FailedActor, Values: slices.Concat(a.Users, a.Groups, a.Roles)})
	}
	if rule.scoped && resource == nil {
		failed = append(failed, Failure{Kind: FailedResource})
	}
	if rule.scoped && resource != nil {
		failed = append(failed, broken(FailedCriterion, rule.criteria, resource)...)
	}
	if !rule.admits(resource) {
		for i := range resource.SubResources {
			sub := &resource.SubResources[i]
			if sub.URN == Wildcard {
				continue
			}
			for _, failure := range broken(FailedConstraint, rule.constraints, sub) {
				failure.Has = []string{sub.URN}
				failed = append(failed, failure)
			}
		}
	}
	return failed
}

// broken returns the criteria that do not hold.
func broken(kind FailureKind, criteria []criterion, resource *Resource) []Failure {
	var failed []Failure
	for i := range criteria {
		if c := &criteria[i]; !c.known || !c.holds(resource) {
			failed = append(failed, Failure{Kind: kind, Field: c.field, Condition: c.condition, Values: c.values, Has: resource.allValues(c.field)})
		}
	}
	return failed
}

// concerned reports whether a rule names the actor, as an owner of the resource or otherwise.
func (r *Rights) concerned(rule *rule, resource *Resource) bool {
	a := &rule.Actors
	names := func(of, among []string) bool {
		return slices.ContainsFunc(of, func(name string) bool { return slices.Contains(among, name) })
	}
	return a.Everybody || a.AnyGroup && len(r.actor.Groups) > 0 ||
		r.actor.URN != "" && slices.Contains(a.Users, r.actor.URN) ||
		names(r.actor.Groups, a.Groups) || names(r.actor.Roles, a.Roles) || names(r.actor.GroupRoles, a.Roles) ||
		a.Owners && r.owns(rule, resource)
}
