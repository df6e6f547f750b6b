package policies_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/model"
)

// The random policies, actors and resources share a few names, so that policies often match.
var (
	users      = names("urn:li:corpuser:", "ada", "ben", "cleo", "dan")
	groups     = names("urn:li:corpGroup:", "data", "finance", "people")
	roles      = names("urn:li:dataHubRole:", "Admin", "Editor", "Reader")
	privileges = []string{"VIEW_ENTITY_PAGE", "GET_ENTITY_PRIVILEGE", "EDIT_ENTITY", "EDIT_ENTITY_TAGS", "DELETE_ENTITY"}
	entities   = []string{model.EntityDataset, model.EntityDashboard, model.EntityDomain, model.EntityCorpuser}
	ownerTypes = names("urn:li:ownershipType:", "technical", "business")
	domains    = names("urn:li:domain:", "hr", "hr.pay", "sales")
	containers = names("urn:li:container:", "db", "db.schema")
	tags       = names("urn:li:tag:", "pii", "pii.name", "old")
	terms      = names("urn:li:glossaryTerm:", "cost", "cost.net")
	instances  = names("urn:li:dataPlatformInstance:", "west", "east")
	urns       = append(names("urn:li:dataset:", "hr", "hr.salaries", "orders"), append(domains, users...)...)
	fieldNames = []policies.Field{
		policies.FieldType, policies.FieldURN, policies.FieldOwner, policies.FieldDomain, policies.FieldGroup,
		policies.FieldInstance, policies.FieldTag, policies.FieldContainer, policies.FieldTerm,
	}
	valuesOf = map[policies.Field][]string{
		policies.FieldType: entities, policies.FieldURN: urns, policies.FieldOwner: append(append([]string{}, users...), groups...),
		policies.FieldDomain: domains, policies.FieldGroup: groups, policies.FieldInstance: instances,
		policies.FieldTag: tags, policies.FieldContainer: containers, policies.FieldTerm: terms,
	}
)

// now is the moment of the tests.
var now = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

func names(prefix string, keys ...string) []string {
	var found []string
	for _, key := range keys {
		found = append(found, prefix+key)
	}
	return found
}

// random makes random policies, actors and resources.
type random struct{ *rand.Rand }

func (r random) in(n int) bool { return r.IntN(n) == 0 }

func one[T any](r random, of []T) T { return of[r.IntN(len(of))] }

// some chooses up to most of the names.
func (r random) some(most int, of []string) []string {
	var found []string
	for range r.IntN(most + 1) {
		found = append(found, one(r, of))
	}
	return found
}

func (r random) policy(i int) policies.Policy {
	p := policies.Policy{
		ID: fmt.Sprint("p", i), Name: fmt.Sprint("Policy ", i), Type: policies.Metadata, State: policies.Active, Effect: policies.Allow,
		Privileges: r.some(3, privileges), Editable: true, Actors: r.actors(),
	}
	if r.in(6) {
		p.Type = policies.Platform
	}
	if r.in(10) {
		p.State = one(r, []policies.State{policies.Inactive, policies.Draft})
	}
	if r.in(3) {
		p.Effect = policies.Deny
		if r.in(6) {
			p.Privileges = append(p.Privileges, policies.EveryPrivilege)
		}
	}
	if r.in(8) {
		p.EndsAt = now.Add(time.Duration(r.IntN(3)-1) * time.Hour)
	}
	if !r.in(4) {
		p.Resources = r.resources()
	}
	return p
}

func (r random) actors() policies.Actors {
	a := policies.Actors{Everybody: r.in(3), AnyGroup: r.in(8), Owners: r.in(3)}
	switch r.IntN(4) {
	case 0:
		a.Users = r.some(2, users)
	case 1:
		a.Groups = r.some(2, groups)
	case 2:
		a.Roles = r.some(2, roles)
	}
	if a.Owners && r.in(2) {
		a.OwnerTypes = append([]string{}, r.some(2, ownerTypes)...)
	}
	return a
}

func (r random) resources() *policies.Resources {
	found := &policies.Resources{}
	switch r.IntN(5) {
	case 0:
		if r.in(2) {
			found.Type = one(r, entities)
		}
		found.URNs, found.All = r.some(3, urns), r.in(3)
	default:
		found.Filter = r.criteria(2)
	}
	if r.in(6) {
		found.Constraints = r.criteria(1)
	}
	return found
}

func (r random) criteria(most int) []policies.Criterion {
	criteria := []policies.Criterion{}
	for range r.IntN(most + 1) {
		field := one(r, fieldNames)
		c := policies.Criterion{
			Field: string(field), Values: r.some(3, valuesOf[field]),
			Condition: one(r, []policies.Condition{policies.Equals, policies.Equals, policies.StartsWith, policies.NotEquals}),
		}
		if r.in(8) {
			c.Field = "COLOUR"
		}
		criteria = append(criteria, c)
	}
	return criteria
}

func (r random) policies(most int) []policies.Policy {
	all := make([]policies.Policy, r.IntN(most)+1)
	for i := range all {
		all[i] = r.policy(i)
	}
	return all
}

func (r random) actor() policies.Actor {
	a := policies.Actor{URN: one(r, users), Groups: r.some(2, groups), Roles: r.some(1, roles)}
	if r.in(20) {
		a.URN = ""
	}
	if len(a.Groups) > 0 {
		a.GroupRoles = r.some(1, roles)
	}
	return a
}

func (r random) resource() policies.Resource {
	res := policies.Resource{
		Type: one(r, entities), URN: one(r, urns), Domains: r.some(2, domains), Containers: r.some(2, containers),
		Tags: r.some(2, tags), Terms: r.some(2, terms), Groups: r.some(2, groups),
	}
	for range r.IntN(3) {
		o := policies.Owner{URN: one(r, valuesOf[policies.FieldOwner])}
		if r.in(2) {
			o.TypeURN = one(r, ownerTypes)
		}
		res.Owners = append(res.Owners, o)
	}
	if r.in(2) {
		res.Instance = one(r, instances)
	}
	return res
}
