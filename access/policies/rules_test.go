package policies_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// aspects writes a policy to JSON and returns one of its two aspects.
func aspects(t *testing.T, p *policies.Policy, which int) jsontree.Object {
	t.Helper()
	info, rule := p.Aspects()
	tree := []jsontree.Object{info, rule}[which]
	if tree == nil {
		return nil
	}
	text, err := jsontree.Encode(tree)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, string(text))
}

func decode(t *testing.T, text string) jsontree.Object {
	t.Helper()
	tree, err := jsontree.DecodeObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

const (
	ada     = "urn:li:corpuser:ada"
	finance = "urn:li:corpGroup:finance"
	admin   = "urn:li:dataHubRole:Admin"
	pay     = "urn:li:dataset:pay"
	view    = "VIEW_ENTITY_PAGE"
)

// policy makes an active policy that lets everybody see what the changes name.
func policy(changes ...func(p *policies.Policy)) policies.Policy {
	p := policies.Policy{
		ID: "p", Name: "P", Type: policies.Metadata, State: policies.Active, Effect: policies.Allow,
		Privileges: []string{view}, Actors: policies.Actors{Everybody: true},
	}
	for _, change := range changes {
		change(&p)
	}
	return p
}

// on is a change: the policy is about resources for which a condition holds.
func on(field policies.Field, condition policies.Condition, values ...string) func(*policies.Policy) {
	return func(p *policies.Policy) {
		if p.Resources == nil {
			p.Resources = &policies.Resources{Filter: []policies.Criterion{}}
		}
		p.Resources.Filter = append(p.Resources.Filter, policies.Criterion{Field: string(field), Condition: condition, Values: values})
	}
}

func who(a policies.Actors) func(*policies.Policy) { return func(p *policies.Policy) { p.Actors = a } }

func resources(r policies.Resources) func(*policies.Policy) {
	return func(p *policies.Policy) { p.Resources = &r }
}

func only(field policies.Field, values ...string) func(*policies.Policy) {
	return func(p *policies.Policy) {
		if p.Resources == nil {
			p.Resources = &policies.Resources{Filter: []policies.Criterion{}}
		}
		p.Resources.Constraints = []policies.Criterion{{Field: string(field), Condition: policies.Equals, Values: values}}
	}
}

func denies(p *policies.Policy)     { p.Effect = policies.Deny }
func everything(p *policies.Policy) { p.Privileges = []string{policies.EveryPrivilege} }
func platform(p *policies.Policy)   { p.Type = policies.Platform }

// TestRules has one table for the rules of the reference, by their numbers in access.md 4.2, and then the
// rules of Headwater.
func TestRules(t *testing.T) {
	dataset := &policies.Resource{Type: model.EntityDataset, URN: pay}
	with := func(change func(r *policies.Resource)) *policies.Resource {
		r := *dataset
		change(&r)
		return &r
	}
	owned := with(func(r *policies.Resource) {
		r.Owners = []policies.Owner{{URN: ada, TypeURN: ownerTypes[0]}, {URN: finance}}
	})
	tagged := with(func(r *policies.Resource) { r.Tags = []string{tags[0]} })
	adding := func(urns ...string) *policies.Resource {
		return with(func(r *policies.Resource) {
			for _, urn := range urns {
				r.SubResources = append(r.SubResources, policies.Resource{Type: model.EntityTag, URN: urn})
			}
		})
	}
	ofType := &policies.Resource{Type: model.EntityDataset}
	user, member := policies.Actor{URN: ada}, policies.Actor{URN: "urn:li:corpuser:mo", Groups: []string{finance}}
	for _, c := range []struct {
		name     string
		policies []policies.Policy
		actor    policies.Actor
		resource *policies.Resource
		want     bool
	}{
		{"1 no policy, no right", nil, user, dataset, false},
		{"1 the system", nil, policies.Actor{System: true}, nil, true},
		{"1 the system, denied", []policies.Policy{policy(denies)}, policies.Actor{System: true}, nil, true},
		{"2 another privilege", []policies.Policy{policy(func(p *policies.Policy) { p.Privileges = []string{"EDIT_ENTITY"} })}, user, dataset, false},
		{"2 active", []policies.Policy{policy()}, user, dataset, true},
		{"2 inactive", []policies.Policy{policy(func(p *policies.Policy) { p.State = policies.Inactive })}, user, dataset, false},
		{"2 draft", []policies.Policy{policy(func(p *policies.Policy) { p.State = policies.Draft })}, user, dataset, false},
		{"2 unknown state", []policies.Policy{policy(func(p *policies.Policy) { p.State = "on" })}, user, dataset, false},
		{"3 platform ignores resources", []policies.Policy{policy(platform, on(policies.FieldType, policies.Equals, model.EntityChart))}, user, dataset, true},
		{"3 no resources, no resource", []policies.Policy{policy()}, user, nil, true},
		{"3 resources, no resource", []policies.Policy{policy(resources(policies.Resources{Filter: []policies.Criterion{}}))}, user, nil, false},
		{"4 no criteria", []policies.Policy{policy(resources(policies.Resources{Filter: []policies.Criterion{}}))}, user, dataset, true},
		{"4 older form, type", []policies.Policy{policy(resources(policies.Resources{Type: model.EntityDataset}))}, user, dataset, true},
		{"4 older form, another type", []policies.Policy{policy(resources(policies.Resources{Type: model.EntityChart}))}, user, dataset, false},
		{"4 older form, URN without a type", []policies.Policy{policy(resources(policies.Resources{URNs: []string{pay}}))}, user, dataset, true},
		{"4 older form, another URN", []policies.Policy{policy(resources(policies.Resources{URNs: []string{"urn:li:dataset:x"}}))}, user, dataset, false},
		{"4 older form, no URN", []policies.Policy{policy(resources(policies.Resources{URNs: []string{}}))}, user, dataset, false},
		{"4 older form, all URNs", []policies.Policy{policy(resources(policies.Resources{Type: model.EntityDataset, URNs: []string{"urn:li:dataset:x"}, All: true}))}, user, dataset, true},
		{"4 the filter counts, not the older form", []policies.Policy{policy(resources(policies.Resources{Type: model.EntityChart, Filter: []policies.Criterion{}}))}, user, dataset, true},
		{"4 all criteria", []policies.Policy{policy(on(policies.FieldType, policies.Equals, model.EntityDataset), on(policies.FieldTag, policies.Equals, tags[1]))}, user, tagged, false},
		{"4 one of the values", []policies.Policy{policy(on(policies.FieldTag, policies.Equals, tags[1], tags[0]))}, user, tagged, true},
		{"4 many values", []policies.Policy{policy(on(policies.FieldTag, policies.Equals, append(slices.Repeat([]string{"x"}, 20), tags[0])...))}, user, tagged, true},
		{"4 lower case", []policies.Policy{policy(on("tag", policies.Equals, tags[0]))}, user, tagged, true},
		{"4 older name", []policies.Policy{policy(on("RESOURCE_TYPE", policies.Equals, model.EntityDataset))}, user, dataset, true},
		{"4 unknown field", []policies.Policy{policy(on("COLOUR", policies.NotEquals, "red"))}, user, dataset, false},
		{"4 unknown condition", []policies.Policy{policy(on(policies.FieldTag, "LIKE", tags[0]))}, user, tagged, false},
		{"4 begins", []policies.Policy{policy(on(policies.FieldURN, policies.StartsWith, "urn:li:dataset:p"))}, user, dataset, true},
		{"4 begins differently", []policies.Policy{policy(on(policies.FieldURN, policies.StartsWith, "urn:li:dataset:q"))}, user, dataset, false},
		{"4 not, without values", []policies.Policy{policy(on(policies.FieldTag, policies.NotEquals, tags[0]))}, user, dataset, true},
		{"4 not, with the value", []policies.Policy{policy(on(policies.FieldTag, policies.NotEquals, tags[0]))}, user, tagged, false},
		{"5 nobody", []policies.Policy{policy(who(policies.Actors{}))}, user, dataset, false},
		{"5 the user", []policies.Policy{policy(who(policies.Actors{Users: []string{ada}}))}, user, dataset, true},
		{"5 another user", []policies.Policy{policy(who(policies.Actors{Users: []string{ada}}))}, member, dataset, false},
		{"5 a caller without a name", []policies.Policy{policy(who(policies.Actors{Users: []string{""}}))}, policies.Actor{}, dataset, false},
		{"5 the group", []policies.Policy{policy(who(policies.Actors{Groups: []string{finance}}))}, member, dataset, true},
		{"5 not in the group", []policies.Policy{policy(who(policies.Actors{Groups: []string{finance}}))}, user, dataset, false},
		{"5 any group", []policies.Policy{policy(who(policies.Actors{AnyGroup: true}))}, member, dataset, true},
		{"5 no group", []policies.Policy{policy(who(policies.Actors{AnyGroup: true}))}, user, dataset, false},
		{"5 own role", []policies.Policy{policy(who(policies.Actors{Roles: []string{admin}}))}, policies.Actor{URN: ada, Roles: []string{admin}}, dataset, true},
		{"5 role of a group", []policies.Policy{policy(who(policies.Actors{Roles: []string{admin}}))}, policies.Actor{URN: ada, GroupRoles: []string{admin}}, dataset, true},
		{"5 no role", []policies.Policy{policy(who(policies.Actors{Roles: []string{admin}}))}, user, dataset, false},
		{"5 owner", []policies.Policy{policy(who(policies.Actors{Owners: true}))}, user, owned, true},
		{"5 owner by a group", []policies.Policy{policy(who(policies.Actors{Owners: true}))}, member, owned, true},
		{"5 no owner", []policies.Policy{policy(who(policies.Actors{Owners: true}))}, user, dataset, false},
		{"5 owner of the type", []policies.Policy{policy(who(policies.Actors{Owners: true, OwnerTypes: ownerTypes[:1]}))}, user, owned, true},
		{"5 owner of no type", []policies.Policy{policy(who(policies.Actors{Owners: true, OwnerTypes: ownerTypes[:1]}))}, member, owned, false},
		{"5 owner of types that are none", []policies.Policy{policy(who(policies.Actors{Owners: true, OwnerTypes: []string{}}))}, user, owned, false},
		{"5 types without owners", []policies.Policy{policy(who(policies.Actors{OwnerTypes: ownerTypes}))}, user, owned, false},
		{"5 owner, no resource", []policies.Policy{policy(who(policies.Actors{Owners: true}))}, user, nil, false},
		{"6 every sub-resource passes", []policies.Policy{policy(only(policies.FieldURN, tags[0], tags[1]))}, user, adding(tags[0], tags[1]), true},
		{"6 one does not", []policies.Policy{policy(only(policies.FieldURN, tags[0]))}, user, adding(tags[0], tags[1]), false},
		{"6 the wildcard passes", []policies.Policy{policy(only(policies.FieldURN, tags[0]))}, user, adding(policies.Wildcard), true},
		{"6 no sub-resource", []policies.Policy{policy(only(policies.FieldURN, tags[0]))}, user, dataset, true},
		{"6 platform policies too", []policies.Policy{policy(platform, only(policies.FieldURN, tags[0]))}, user, adding(tags[1]), false},
		{"7 owner", []policies.Policy{policy(on(policies.FieldOwner, policies.Equals, finance))}, user, owned, true},
		{"7 domain or ancestor", []policies.Policy{policy(on(policies.FieldDomain, policies.Equals, domains[0]))}, user, with(func(r *policies.Resource) { r.Domains = domains[:2] }), true},
		{"7 a domain is its own", []policies.Policy{policy(on(policies.FieldDomain, policies.Equals, domains[0]))}, user, &policies.Resource{Type: model.EntityDomain, URN: domains[0]}, true},
		{"7 what has the URN of a domain is not", []policies.Policy{policy(on(policies.FieldDomain, policies.Equals, domains[0]))}, user, &policies.Resource{Type: model.EntityTag, URN: domains[0]}, false},
		{"7 container", []policies.Policy{policy(on(policies.FieldContainer, policies.Equals, containers[0]))}, user, with(func(r *policies.Resource) { r.Containers = containers }), true},
		{"7 term", []policies.Policy{policy(on(policies.FieldTerm, policies.Equals, terms[0]))}, user, with(func(r *policies.Resource) { r.Terms = terms }), true},
		{"7 instance", []policies.Policy{policy(on(policies.FieldInstance, policies.Equals, instances[0]))}, user, with(func(r *policies.Resource) { r.Instance = instances[0] }), true},
		{"7 group of a user", []policies.Policy{policy(on(policies.FieldGroup, policies.Equals, finance))}, user, &policies.Resource{Type: model.EntityCorpuser, URN: users[1], Groups: []string{finance}}, true},
		{"8 the type", []policies.Policy{policy(on(policies.FieldType, policies.Equals, model.EntityDataset))}, user, ofType, true},
		{"8 no URN", []policies.Policy{policy(on(policies.FieldURN, policies.StartsWith, ""))}, user, ofType, false},
		{"8 no URN is another", []policies.Policy{policy(on(policies.FieldURN, policies.NotEquals, pay))}, user, ofType, true},
		{"8 no owner", []policies.Policy{policy(who(policies.Actors{Owners: true}))}, user, &policies.Resource{Type: model.EntityDataset, Owners: owned.Owners}, false},
		{"9 oneself", nil, user, &policies.Resource{Type: model.EntityCorpuser, URN: ada}, true},
		{"9 somebody else", nil, user, &policies.Resource{Type: model.EntityCorpuser, URN: users[1]}, false},
		{"9 a caller without a name", nil, policies.Actor{}, &policies.Resource{Type: model.EntityCorpuser}, false},

		{"deny beats allow", []policies.Policy{policy(), policy(denies)}, user, dataset, false},
		{"deny elsewhere", []policies.Policy{policy(), policy(denies, on(policies.FieldType, policies.Equals, model.EntityChart))}, user, dataset, true},
		{"deny somebody else", []policies.Policy{policy(), policy(denies, who(policies.Actors{Users: []string{ada}}))}, member, dataset, true},
		{"deny another privilege", []policies.Policy{policy(), policy(denies, func(p *policies.Policy) { p.Privileges = []string{"EDIT_ENTITY"} })}, user, dataset, true},
		{"deny everything", []policies.Policy{policy(), policy(denies, everything)}, user, dataset, false},
		{"deny everything elsewhere", []policies.Policy{policy(), policy(denies, everything, on(policies.FieldURN, policies.Equals, "urn:li:dataset:x"))}, user, dataset, true},
		{"everything is no privilege to grant", []policies.Policy{policy(everything)}, user, dataset, false},
		{"deny oneself", []policies.Policy{policy(denies)}, user, &policies.Resource{Type: model.EntityCorpuser, URN: ada}, false},
		{"deny owners", []policies.Policy{policy(), policy(denies, who(policies.Actors{Owners: true}))}, user, owned, false},
		{"deny, inactive", []policies.Policy{policy(), policy(denies, func(p *policies.Policy) { p.State = policies.Inactive })}, user, dataset, true},
		{"deny by an unknown field", []policies.Policy{policy(), policy(denies, on("COLOUR", policies.Equals, "red"))}, user, dataset, false},
		{"deny by an unknown field and one that does not hold", []policies.Policy{policy(), policy(denies, on("COLOUR", policies.Equals, "red"), on(policies.FieldTag, policies.Equals, tags[0]))}, user, dataset, true},
		{"deny one of what is added", []policies.Policy{policy(), policy(denies, only(policies.FieldURN, tags[0]))}, user, adding(tags[1], tags[0]), false},
		{"deny nothing of what is added", []policies.Policy{policy(), policy(denies, only(policies.FieldURN, tags[0]))}, user, adding(tags[1]), true},
		{"deny, nothing is added", []policies.Policy{policy(), policy(denies, only(policies.FieldURN, tags[0]))}, user, dataset, true},
		{"deny, anything is added", []policies.Policy{policy(), policy(denies, only(policies.FieldURN, tags[0]))}, user, adding(policies.Wildcard), false},
		{"neither allows nor denies", []policies.Policy{policy(func(p *policies.Policy) { p.Effect = "DENIED" })}, user, dataset, false},
		{"ends later", []policies.Policy{policy(func(p *policies.Policy) { p.EndsAt = now.Add(1) })}, user, dataset, true},
		{"ends now", []policies.Policy{policy(func(p *policies.Policy) { p.EndsAt = now })}, user, dataset, false},
		{"a denial ends", []policies.Policy{policy(), policy(denies, func(p *policies.Policy) { p.EndsAt = now })}, user, dataset, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			rights := policies.Compile(c.policies, now).Rights(c.actor)
			if got := rights.Allows([]string{view}, c.resource); got != c.want {
				t.Errorf("it is %t", got)
			}
			d := rights.Decide([]string{view}, c.resource)
			if d.Allowed != c.want {
				t.Errorf("Decide: %+v", d)
			}
			if c.resource != nil && c.resource.URN != "" && c.resource.SubResources == nil {
				if f := rights.Filter([]string{view}, c.resource.Type); f.Matches(c.resource) != c.want {
					t.Errorf("Filter: %v", f)
				}
			}
		})
	}
}

// TestAnyPrivilege: one granted privilege suffices, and a denial takes away only the privilege that it names.
func TestAnyPrivilege(t *testing.T) {
	set := policies.Compile([]policies.Policy{
		policy(func(p *policies.Policy) { p.Privileges = []string{view, "GET_ENTITY_PRIVILEGE"} }), policy(denies),
	}, now)
	rights := set.Rights(policies.Actor{URN: ada})
	dataset := &policies.Resource{Type: model.EntityDataset, URN: pay}
	if rights.Allows([]string{view, "EDIT_ENTITY"}, dataset) || !rights.Allows(policies.Group(policies.Read, model.EntityDataset), dataset) || rights.Allows(nil, dataset) {
		t.Error("the privileges are not judged one by one")
	}
	if got := rights.Granted(dataset); !slices.Equal(got, []string{"GET_ENTITY_PRIVILEGE"}) {
		t.Errorf("granted are %v", got)
	}
	if all := set.Rights(policies.Actor{System: true}).Granted(nil); len(all) != len(policies.Names()) {
		t.Errorf("the system has %d privileges", len(all))
	}
	if rights.Actor().URN != ada {
		t.Errorf("%+v", rights.Actor())
	}
}

// TestUntil: a set says when the first of its policies ends.
func TestUntil(t *testing.T) {
	ends := func(at time.Time) policies.Policy {
		return policy(func(p *policies.Policy) { p.EndsAt = at })
	}
	later := now.Add(time.Hour)
	if got := policies.Compile([]policies.Policy{policy(), ends(now.Add(2 * time.Hour)), ends(later), ends(now)}, now).Until(); !got.Equal(later) {
		t.Errorf("until %v", got)
	}
	if got := policies.Compile([]policies.Policy{policy(), ends(now)}, now).Until(); !got.IsZero() {
		t.Errorf("until %v", got)
	}
}

// TestAspects: the forms in which policies are stored.
func TestAspects(t *testing.T) {
	const plain = `{"displayName":"P","description":"","type":"METADATA","state":"ACTIVE","privileges":["VIEW_ENTITY_PAGE"],"editable":false,
		"actors":{"resourceOwners":false,"allUsers":true,"allGroups":false}}`
	p := policy()
	if info, rule := p.Aspects(); rule != nil || !jsontree.Equal(info, decode(t, plain)) {
		t.Errorf("%v, %v", info, rule)
	}
	denied := policy(denies, func(p *policies.Policy) { p.EndsAt = time.UnixMilli(5) })
	info, rule := aspects(t, &denied, 0), aspects(t, &denied, 1)
	if info["state"] != "INACTIVE" || !jsontree.Equal(rule, decode(t, `{"effect":"DENY","state":"ACTIVE","endsAt":5}`)) {
		t.Errorf("%v, %v", info, rule)
	}
	// A reference's page that switches such a policy on does not make it a grant.
	info["state"] = "ACTIVE"
	if read, problems := policies.FromAspects("p", info, rule); !policies.Equal(&read, &denied) || len(problems) > 0 {
		t.Errorf("%+v, %v", read, problems)
	}
	ending := policy(func(p *policies.Policy) { p.EndsAt = time.UnixMilli(5) })
	if info, rule := ending.Aspects(); info["state"] != "INACTIVE" || rule["effect"] != "ALLOW" {
		t.Errorf("%v, %v", info, rule)
	}

	full := `{"displayName":"F","description":"d","type":"PLATFORM","state":"DRAFT","privileges":["OF_ANOTHER_RELEASE"],"editable":true,"lastUpdatedTimestamp":9,
		"actors":{"users":["urn:li:corpuser:a"],"groups":["urn:li:corpGroup:g"],"roles":["urn:li:dataHubRole:r"],"resourceOwners":true,
			"resourceOwnersTypes":["urn:li:ownershipType:t"],"allUsers":true,"allGroups":true},
		"resources":{"type":"dataset","resources":["urn:li:dataset:x"],"allResources":true,
			"filter":{"criteria":[{"field":"tag","values":["v"],"condition":"STARTS_WITH","structuredPropertyValues":[{"propertyUrn":"u","values":[]}]}]},
			"privilegeConstraints":{"criteria":[]}}}`
	read, problems := policies.FromAspects("f", decode(t, full), nil)
	if info, rule := read.Aspects(); len(problems) > 0 || rule != nil || !jsontree.Equal(info, decode(t, full)) {
		t.Errorf("%v\n%v", problems, info)
	}
}

// TestProblems: each problem of a stored or written policy names its place and the nearest right name.
func TestProblems(t *testing.T) {
	stored := decode(t, `{"displayName":"","type":"METADTA","state":"ACTIV","privileges":["X"],"resources":{
		"filter":{"criteria":[{"field":"TAGS","values":[]},{"field":"TAG","values":[],"condition":"EQUAL"}]},
		"privilegeConstraints":{"criteria":[{"field":"HUE","values":[]}]}}}`)
	_, problems := policies.FromAspects("a", stored, decode(t, `{"effect":"DENIED","state":"ACTIVE"}`))
	written := policy(func(p *policies.Policy) { p.Privileges = []string{"VIEW_ENTITY_PAGES", policies.EveryPrivilege} })
	problems = append(problems, written.Check()...)
	denied := policy(denies, everything)
	problems = append(problems, denied.Check()...)
	_, noRule := policies.FromAspects("b", stored, nil)
	problems = append(problems, noRule[2]) // the state of the aspect without a rule
	var got []string
	for _, p := range problems {
		got = append(got, p.Error())
	}
	want := []string{
		`policy a: displayName: a policy needs a name`,
		`policy a: type: there is no type of policy "METADTA" (did you mean METADATA?)`,
		`policy a: effect: there is no effect "DENIED"; the effects are ALLOW, DENY`,
		`policy a: resources.filter[0].field: there is no field "TAGS" (did you mean TAG?)`,
		`policy a: resources.filter[1].condition: there is no condition "EQUAL" (did you mean EQUALS?)`,
		`policy a: resources.privilegeConstraints[0].field: there is no field "HUE"; the fields are TYPE, URN, OWNER, DOMAIN, GROUP_MEMBERSHIP, DATA_PLATFORM_INSTANCE, TAG, CONTAINER, GLOSSARY`,
		`policy p: privileges[0]: there is no privilege "VIEW_ENTITY_PAGES" (did you mean VIEW_ENTITY_PAGE?)`,
		`policy p: privileges[1]: only a policy that denies may name *`,
		`policy b: state: there is no state "ACTIV" (did you mean ACTIVE?)`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestTables: the tables have the sizes of the reference's tables, with one privilege more, and name only described privileges.
func TestTables(t *testing.T) {
	if n := len(policies.PlatformPrivileges()); n != 43+1 {
		t.Errorf("%d platform privileges", n)
	}
	types := policies.ResourceTypes()
	if last := types[len(types)-1]; len(types) != 25 || last.EntityType != policies.EveryResource || len(last.Privileges) != 44 {
		t.Errorf("%d types, %d privileges", len(types), len(last.Privileges))
	}
	for _, of := range types {
		if of.EntityType != policies.EveryResource && len(policies.ResourcePrivileges(of.EntityType)) != len(of.Privileges) || len(of.Privileges) == 0 {
			t.Errorf("%s has %d privileges", of.EntityType, len(of.Privileges))
		}
		for _, p := range of.Privileges {
			if p.Name == "" {
				t.Errorf("%s has a privilege that is not described", of.EntityType)
			}
		}
	}
	if policies.ResourcePrivileges("nothing") != nil {
		t.Error("an unknown type has privileges")
	}
	texts := map[string]string{}
	for _, name := range policies.Names() {
		p, ok := policies.DescriptionOf(name)
		if !ok || p.DisplayName == "" || !strings.HasSuffix(p.Description, ".") || texts[p.DisplayName] != "" {
			t.Errorf("%s is described as %+v, as %s", name, p, texts[p.DisplayName])
		}
		texts[p.DisplayName] = name
	}
}

// TestGroups: operations name only known privileges, and types have their own.
func TestGroups(t *testing.T) {
	for _, o := range policies.Operations() {
		for _, of := range append([]string{"", "nothing"}, entities...) {
			for _, name := range policies.Group(o, of) {
				if _, ok := policies.DescriptionOf(name); !ok {
					t.Errorf("%s of %s names %s", o, of, name)
				}
			}
		}
	}
	for _, c := range []struct {
		operation policies.Operation
		of, want  string
	}{
		{policies.Read, model.EntityDataset, "VIEW_ENTITY_PAGE GET_ENTITY_PRIVILEGE EDIT_ENTITY DELETE_ENTITY"},
		{policies.Update, model.EntityDataHubPolicy, "MANAGE_POLICIES"},
		{policies.Read, model.EntityDataHubPolicy, "MANAGE_POLICIES VIEW_ENTITY_PAGE GET_ENTITY_PRIVILEGE EDIT_ENTITY DELETE_ENTITY"},
		{policies.Update, model.EntityCorpuser, "UPDATE_USERS_AND_GROUPS MANAGE_USERS_AND_GROUPS UPDATE_USERS"},
		{policies.Read, model.EntityDataHubSecret, "MANAGE_SECRETS"},
		{policies.Exists, model.EntityGlobalSettings, "MANAGE_GLOBAL_SETTINGS EXISTS_ENTITY EDIT_ENTITY DELETE_ENTITY VIEW_ENTITY_PAGE SEARCH_PRIVILEGE"},
		{policies.ExistsAnalytics, "", "VIEW_ANALYTICS GET_ANALYTICS_PRIVILEGE MANAGE_SYSTEM_OPERATIONS SEARCH_PRIVILEGE"},
		{"ANALYTICS_DELETE", "", ""},
	} {
		if got := strings.Join(policies.Group(c.operation, c.of), " "); got != c.want {
			t.Errorf("%s of %s: %s", c.operation, c.of, got)
		}
	}
	if update, remove := policies.Manages(model.EntityCorpGroup); len(update) != 3 || len(remove) != 2 {
		t.Errorf("%v, %v", update, remove)
	}
}
