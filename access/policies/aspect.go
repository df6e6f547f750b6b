package policies

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// FromAspects reads a policy from its aspects: dataHubPolicyInfo, and headwaterPolicyRule or nil. It returns
// the policy with all problems that it finds. Unknown names of privileges are no problem, because a stored
// policy may name privileges of another release. A policy with problems may be compiled: a condition that
// cannot be understood never lets a policy allow, and never keeps it from denying.
func FromAspects(id string, info, rule jsontree.Object) (Policy, []Problem) {
	p := Policy{
		ID:   id,
		Name: jsontree.Text(info, "displayName"), Description: jsontree.Text(info, "description"),
		Type: Type(jsontree.Text(info, "type")), State: State(jsontree.Text(info, "state")),
		Effect:     Allow,
		Privileges: jsontree.Texts(info, "privileges"),
		Editable:   info["editable"] != false, LastUpdated: jsontree.Integer(info["lastUpdatedTimestamp"]),
	}
	if rule != nil {
		p.Effect, p.State = Effect(jsontree.Text(rule, "effect")), State(jsontree.Text(rule, "state"))
		if at, ok := rule["endsAt"]; ok && at != nil {
			p.EndsAt = time.UnixMilli(jsontree.Integer(at)).UTC()
		}
	}
	actors := jsontree.Member(info, "actors")
	p.Actors = Actors{
		Users: jsontree.Texts(actors, "users"), Groups: jsontree.Texts(actors, "groups"), Roles: jsontree.Texts(actors, "roles"),
		Owners: actors["resourceOwners"] == true, OwnerTypes: textsOrNil(actors, "resourceOwnersTypes"),
		Everybody: actors["allUsers"] == true, AnyGroup: actors["allGroups"] == true,
	}
	if resources := jsontree.Member(info, "resources"); resources != nil {
		p.Resources = &Resources{
			Type: jsontree.Text(resources, "type"), URNs: textsOrNil(resources, "resources"), All: resources["allResources"] == true,
			Filter: criteriaOf(resources, "filter"), Constraints: criteriaOf(resources, "privilegeConstraints"),
		}
	}
	return p, p.check(false)
}

// textsOrNil returns the texts of a list, nil only if there is no list.
func textsOrNil(object jsontree.Object, name string) []string {
	if jsontree.Array(object, name) == nil {
		return nil
	}
	return append([]string{}, jsontree.Texts(object, name)...)
}

// criteriaOf returns the criteria of a filter, nil only if there is no filter.
func criteriaOf(resources jsontree.Object, name string) []Criterion {
	filter := jsontree.Member(resources, name)
	if filter == nil {
		return nil
	}
	criteria := []Criterion{}
	for _, item := range jsontree.Items(filter, "criteria") {
		c := Criterion{
			Field: jsontree.Text(item, "field"), Values: jsontree.Texts(item, "values"),
			Condition: Condition(jsontree.Text(item, "condition")), properties: jsontree.Array(item, "structuredPropertyValues"),
		}
		if c.Condition == "" {
			c.Condition = Equals
		}
		criteria = append(criteria, c)
	}
	return criteria
}

// Aspects returns the values of the aspects of a policy: dataHubPolicyInfo, and headwaterPolicyRule, which is
// nil for a policy that the reference can express. A policy with such a rule is INACTIVE in
// dataHubPolicyInfo, so that a program that does not know the rule does not take a denial for a grant, or a
// grant that ends for one that stays.
func (p *Policy) Aspects() (info, rule jsontree.Object) {
	state := p.State
	if p.denies() || !p.EndsAt.IsZero() {
		effect := Allow
		if p.denies() {
			effect = Deny
		}
		rule = jsontree.Object{"effect": string(effect), "state": string(p.State)}
		if !p.EndsAt.IsZero() {
			rule["endsAt"] = integer(p.EndsAt.UnixMilli())
		}
		state = Inactive
	}
	info = jsontree.Object{
		"displayName": p.Name, "description": p.Description, "type": string(p.Type), "state": string(state),
		"privileges": list(p.Privileges), "editable": p.Editable, "actors": p.Actors.aspect(),
	}
	if p.LastUpdated != 0 {
		info["lastUpdatedTimestamp"] = integer(p.LastUpdated)
	}
	if r := p.Resources; r != nil {
		resources := jsontree.Object{"allResources": r.All}
		if r.Type != "" {
			resources["type"] = r.Type
		}
		if r.URNs != nil {
			resources["resources"] = list(r.URNs)
		}
		setCriteria(resources, "filter", r.Filter)
		setCriteria(resources, "privilegeConstraints", r.Constraints)
		info["resources"] = resources
	}
	return info, rule
}

func (a *Actors) aspect() jsontree.Object {
	actors := jsontree.Object{"resourceOwners": a.Owners, "allUsers": a.Everybody, "allGroups": a.AnyGroup}
	for name, urns := range map[string][]string{"users": a.Users, "groups": a.Groups, "roles": a.Roles} {
		if len(urns) > 0 {
			actors[name] = list(urns)
		}
	}
	if a.OwnerTypes != nil {
		actors["resourceOwnersTypes"] = list(a.OwnerTypes)
	}
	return actors
}

func setCriteria(resources jsontree.Object, name string, criteria []Criterion) {
	if criteria == nil {
		return
	}
	items := make([]any, len(criteria))
	for i, c := range criteria {
		item := jsontree.Object{"field": c.Field, "values": list(c.Values), "condition": string(c.Condition)}
		if c.properties != nil {
			item["structuredPropertyValues"] = c.properties
		}
		items[i] = item
	}
	resources[name] = jsontree.Object{"criteria": items}
}

func list(texts []string) []any {
	items := make([]any, len(texts))
	for i, text := range texts {
		items[i] = text
	}
	return items
}

func integer(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }
