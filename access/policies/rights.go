package policies

import (
	"cmp"
	"reflect"
	"slices"
	"time"
)

// Rights are the rules that concern one actor. They are immutable and safe for concurrent use.
type Rights struct {
	set   *Set
	actor Actor
	// names are the URNs of the actor and of its groups: an entity that one of them owns counts as the
	// actor's.
	names []string
	of    map[string]*granted
	// denied are the rules that deny every privilege.
	denied []held
}

// granted are the rules about one privilege. There is at least one in allow.
type granted struct{ allow, deny []held }

// held is a rule that concerns an actor.
type held struct {
	*rule
	// byOwnership: the rule concerns the actor only where the actor is an owner.
	byOwnership bool
}

// OwnEntity is the id of the rule that is in every set: everybody may read their own entity.
const OwnEntity = "own-entity"

// Rights chooses the rules that concern an actor.
func (s *Set) Rights(actor Actor) *Rights {
	r := &Rights{set: s, actor: actor, names: append([]string{actor.URN}, actor.Groups...), of: map[string]*granted{}}
	if actor.System {
		return r
	}
	chosen := map[*rule]bool{}
	var all []held
	add := func(rules []*rule, byOwnership bool) {
		for _, rule := range rules {
			if !chosen[rule] {
				chosen[rule] = true
				all = append(all, held{rule, byOwnership})
			}
		}
	}
	add(s.everybody, false)
	if len(actor.Groups) > 0 {
		add(s.anyGroup, false)
	}
	if actor.URN != "" {
		add(s.users[actor.URN], false)
		add([]*rule{readOwn(actor.URN)}, false)
	}
	for _, group := range actor.Groups {
		add(s.groups[group], false)
	}
	for _, roles := range [][]string{actor.Roles, actor.GroupRoles} {
		for _, role := range roles {
			add(s.roles[role], false)
		}
	}
	add(s.owners, true)
	slices.SortStableFunc(all, func(a, b held) int { return cmp.Compare(a.order, b.order) })
	r.sort(all)
	return r
}

// sort puts the rules where questions find them.
func (r *Rights) sort(all []held) {
	for _, h := range all {
		if h.denies() {
			continue
		}
		for _, privilege := range distinct(h.Privileges) {
			g := r.of[privilege]
			if g == nil {
				g = &granted{}
				r.of[privilege] = g
			}
			g.allow = append(g.allow, h)
		}
	}
	delete(r.of, EveryPrivilege)
	for _, h := range all {
		if !h.denies() {
			continue
		}
		for _, privilege := range distinct(h.Privileges) {
			if g := r.of[privilege]; g != nil {
				g.deny = append(g.deny, h)
			} else if privilege == EveryPrivilege {
				r.denied = append(r.denied, h)
			}
		}
	}
}

// readOwn is the rule by which actors read their own entity. The reference also lets them edit and delete it;
// this rule does not.
func readOwn(urn string) *rule {
	return compile(&Policy{
		ID: OwnEntity, Name: "Everybody may read their own entity", Type: Metadata, State: Active,
		Privileges: []string{ViewEntityPage, GetEntity}, Actors: Actors{Users: []string{urn}},
		Resources: &Resources{Filter: []Criterion{{Field: string(FieldURN), Values: []string{urn}, Condition: Equals}}},
	}, -1, time.Time{})
}

// Same reports whether other rights follow from the same set for the same actor.
func (r *Rights) Same(other *Rights) bool {
	return r.actor.System && other.actor.System || r.set == other.set && reflect.DeepEqual(r.actor, other.actor)
}

// Actor returns whose rights these are.
func (r *Rights) Actor() Actor { return r.actor }

// Allows reports whether one of the privileges is granted and not denied. The resource is nil for a
// question without one.
func (r *Rights) Allows(privileges []string, resource *Resource) bool {
	if r.actor.System {
		return true
	}
	return r.AllowsPart(privileges, resource, nil)
}

// AllowsPart reports whether one of the privileges is granted for a part of a resource, and denied neither for the part
// nor for the whole. The whole may be nil.
func (r *Rights) AllowsPart(privileges []string, part, whole *Resource) bool {
	for _, privilege := range privileges {
		g := r.of[privilege]
		if g == nil || r.first(g.allow, part) == nil {
			continue
		}
		denied := func(resource *Resource) bool {
			return r.first(g.deny, resource) != nil || r.first(r.denied, resource) != nil
		}
		if !denied(part) && (whole == nil || !denied(whole)) {
			return true
		}
	}
	return false
}

// Granted returns the privileges that are granted and not denied for a resource, in alphabetical order.
// The system has all known privileges.
func (r *Rights) Granted(resource *Resource) []string {
	if r.actor.System {
		return slices.Sorted(slices.Values(privilegeNames))
	}
	var found []string
	for privilege := range r.of {
		if r.Allows([]string{privilege}, resource) {
			found = append(found, privilege)
		}
	}
	slices.Sort(found)
	return found
}

// first returns the first rule that holds for a resource, or nil.
func (r *Rights) first(rules []held, resource *Resource) *held {
	for i := range rules {
		if h := &rules[i]; h.covers(resource) && (!h.byOwnership || r.owns(h.rule, resource)) {
			return h
		}
	}
	return nil
}

// owns reports whether the actor is an owner of a resource in the sense of a rule.
func (r *Rights) owns(rule *rule, resource *Resource) bool {
	if resource == nil || resource.URN == "" {
		return false
	}
	for i := range resource.Owners {
		owner := &resource.Owners[i]
		if rule.Actors.OwnerTypes != nil && !slices.Contains(rule.Actors.OwnerTypes, owner.TypeURN) {
			continue
		}
		if owner.URN != "" && slices.Contains(r.names, owner.URN) {
			return true
		}
	}
	return false
}
