package policyfile_test

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/access/policies/policyfile"
	"github.com/headwater-io/headwater/model"
)

const example = `
groups:
  editing: [EDIT_ENTITY_TAGS, EDIT_ENTITY_DOCS]
policies:
  - id: hr-is-closed
    name: HR is closed
    description: Nobody but HR sees salaries.
    deny: [READ, -EDIT_ENTITY]
    who: {users: [piet, "urn:li:corpuser:ada"], groups: [finance], roles: [Reader], anyGroup: true}
    on:
      - {domains: [hr], notTags: [public], urnsBeginning: ["urn:li:dataset:(urn:li:dataPlatform:hive,"]}
      - {domains: ["urn:li:domain:pay"]}
    ends: 2027-01-31
  - id: edit
    name: Edit
    type: platform
    state: draft
    allow: [editing, DELETE_ENTITY]
    who: {ownersOf: [technical]}
    only: {tags: [pii]}
    editable: false
expect:
  - {actor: piet, privilege: READ, resource: "urn:li:domain:hr", may: false}
  - {actor: piet, privilege: MANAGE_POLICIES, may: true}
`

var exact = cmp.Options{cmpopts.IgnoreUnexported(policies.Criterion{})}

func TestParse(t *testing.T) {
	file, err := policyfile.Parse("f.yaml", []byte(example), []string{model.EntityDataset})
	if err != nil {
		t.Fatal(err)
	}
	want := &policyfile.File{
		Policies: []policies.Policy{
			{
				ID: "hr-is-closed", Name: "HR is closed", Description: "Nobody but HR sees salaries.",
				Type: policies.Metadata, State: policies.Active, Effect: policies.Deny, Editable: true,
				Privileges: []string{"VIEW_ENTITY_PAGE", "GET_ENTITY_PRIVILEGE", "DELETE_ENTITY"},
				Actors: policies.Actors{
					Users: []string{"urn:li:corpuser:piet", "urn:li:corpuser:ada"}, Groups: []string{"urn:li:corpGroup:finance"},
					Roles: []string{"urn:li:dataHubRole:Reader"}, AnyGroup: true,
				},
				Resources: &policies.Resources{Filter: []policies.Criterion{
					{Field: "DOMAIN", Values: []string{"urn:li:domain:hr"}, Condition: policies.Equals},
					{Field: "TAG", Values: []string{"urn:li:tag:public"}, Condition: policies.NotEquals},
					{Field: "URN", Values: []string{"urn:li:dataset:(urn:li:dataPlatform:hive,"}, Condition: policies.StartsWith},
					{Field: "DOMAIN", Values: []string{"urn:li:domain:pay"}, Condition: policies.Equals},
				}},
				EndsAt: time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC),
			},
			{
				ID: "edit", Name: "Edit", Type: policies.Platform, State: policies.Draft, Effect: policies.Allow,
				Privileges: []string{"EDIT_ENTITY_TAGS", "EDIT_ENTITY_DOCS", "DELETE_ENTITY"},
				Actors:     policies.Actors{Owners: true, OwnerTypes: []string{"urn:li:ownershipType:technical"}},
				Resources: &policies.Resources{
					Filter:      []policies.Criterion{},
					Constraints: []policies.Criterion{{Field: "TAG", Values: []string{"urn:li:tag:pii"}, Condition: policies.Equals}},
				},
			},
		},
		Expect: []policyfile.Expectation{
			{Line: 23, Actor: "urn:li:corpuser:piet", Resource: "urn:li:domain:hr", Privilege: "READ", Privileges: policies.Group(policies.Read, "")},
			{Line: 24, Actor: "urn:li:corpuser:piet", Privilege: "MANAGE_POLICIES", Privileges: []string{"MANAGE_POLICIES"}, May: true},
		},
	}
	if diff := cmp.Diff(want, file, exact); diff != "" {
		t.Error(diff)
	}
	for _, p := range file.Policies {
		if problems := p.Check(); len(problems) > 0 {
			t.Errorf("%v", problems)
		}
	}
	reread(t, file.Policies)
}

// TestJSON: a file may be JSON.
func TestJSON(t *testing.T) {
	file, err := policyfile.Parse("f.json", []byte(`{"policies": [{"id": "a", "name": "A", "allow": ["EDIT_ENTITY"], "who": {"everybody": true}}]}`), nil)
	if err != nil || len(file.Policies) != 1 || file.Policies[0].Resources != nil {
		t.Errorf("%+v, %v", file, err)
	}
}

// reread writes policies to a file and reads the file.
func reread(t *testing.T, all []policies.Policy) {
	t.Helper()
	text, err := policyfile.Format(all)
	if err != nil {
		t.Fatal(err)
	}
	file, err := policyfile.Parse("again.yaml", text, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if changes := policyfile.Diff(all, file.Policies); len(changes) > 0 || len(all) != len(file.Policies) {
		t.Fatalf("%+v\n%s", changes, text)
	}
}

// TestErrors: each mistake is reported with its line and the nearest right name.
func TestErrors(t *testing.T) {
	policy := func(members string) string { return "policies:\n  - {id: a, name: A, " + members + "}" }
	const who, allow = "who: {everybody: true}", "allow: [EDIT_ENTITY]"
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", `f.yaml:1: the file is empty`},
		{"not YAML", "policies: [", `f.yaml:1: did not find expected node content`},
		{"not YAML later", "a: b\n\tc: d", `f.yaml:2: found a tab character that violates indentation`},
		{"no mapping", "[]", `f.yaml:1: the file must be a mapping`},
		{"unknown part", "policy: []", `f.yaml:1: the file has no member "policy"; the members are groups, policies, expect`},
		{"twice", "policies: []\npolicies: []", `f.yaml:2: the file has "policies" twice`},
		{"no list", "policies: {}", `f.yaml:1: policies must be a list`},
		{"group like a privilege", "groups: {EDIT_ENTITY: []}", `f.yaml:1: EDIT_ENTITY is a privilege or an operation: call the group something else`},
		{"unknown member", policy("editabel: false, " + allow + ", " + who), `f.yaml:2: a policy has no member "editabel" (did you mean editable?)`},
		{"id", "policies:\n- {id: 'a,(', name: A, " + allow + ", " + who + "}", `f.yaml:2: the id "a,(" cannot be part of a URN`},
		{"no id", "policies:\n- {name: A, " + allow + ", " + who + "}", `f.yaml:2: the policy has no id`},
		{"no name", "policies:\n- {id: a, name: '', " + allow + ", " + who + "}", `f.yaml:2: the policy has no name`},
		{"no who", policy(allow), `f.yaml:2: the policy has no who`},
		{"no effect", policy(who), `f.yaml:2: the policy has neither allow nor deny`},
		{"two effects", policy(allow + ", deny: [EDIT_ENTITY], " + who), `f.yaml:2: a policy has either allow or deny`},
		{"one id twice", "policies:\n- {id: a, name: A, " + allow + ", " + who + "}\n- {id: a, name: B, " + allow + ", " + who + "}", `f.yaml:3: the policy a stands in line 2 too`},
		{"name that is no text", policy("description: [], " + allow + ", " + who), `f.yaml:2: description must be a text`},
		{"bytes", policy("description: !!binary YQ==, " + allow + ", " + who), `f.yaml:2: description must be a text`},
		{"nothing", policy("description: , " + allow + ", " + who), `f.yaml:2: description must be a text`},
		{"type", policy("type: plattform, " + allow + ", " + who), `f.yaml:2: there is no type "plattform" (did you mean platform?)`},
		{"state", policy("state: on, " + allow + ", " + who), `f.yaml:2: there is no state "on"; the states are active, inactive, draft`},
		{"privilege", policy("allow: [EDIT_ENTITY_TAG], " + who), `f.yaml:2: there is no privilege "EDIT_ENTITY_TAG" (did you mean EDIT_ENTITY_TAGS, EDIT_ENTITY_DOCS, EDIT_ENTITY_STATUS?)`},
		{"everything allowed", policy("allow: ['*'], " + who), `f.yaml:2: only deny may name "*"`},
		{"operation allowed", policy("allow: [UPDATE], " + who), `f.yaml:2: UPDATE is an operation, for which each of EDIT_ENTITY suffices: name the privilege that you mean`},
		{"who", policy(allow + ", who: {user: [a]}"), `f.yaml:2: who has no member "user" (did you mean users?)`},
		{"everybody", policy(allow + ", who: {everybody: 'yes'}"), `f.yaml:2: everybody must be true or false`},
		{"user", policy(allow + ", who: {users: ['urn:li']}"), `f.yaml:2: "urn:li" is no URN`},
		{"on", policy(allow + ", " + who + ", on: {tag: [a]}"), `f.yaml:2: on has no member "tag" (did you mean tags?)`},
		{"on a text", policy(allow + ", " + who + ", on: all"), `f.yaml:2: on must be a mapping`},
		{"only", policy(allow + ", " + who + ", only: {tags: a}"), `f.yaml:2: tags must be a list`},
		{"URN", policy(allow + ", " + who + ", on: {urns: [orders]}"), `f.yaml:2: "orders" is no URN`},
		{"type of entity", policy(allow + ", " + who + ", on: {types: [datasets]}"), `f.yaml:2: there is no type of entity "datasets" (did you mean dataset?)`},
		{"ends", policy(allow + ", " + who + ", ends: tomorrow"), `f.yaml:2: ends must be a day or a moment, such as 2027-01-31 or 2027-01-31T17:00:00Z`},
		{"editable", policy(allow + ", " + who + ", editable: 1"), `f.yaml:2: editable must be true or false`},
		{"alias", "groups:\n  a: &a [EDIT_ENTITY]\n  b: *a", `f.yaml:3: a group must be a list`},
		{"expectation", "expect: [{actor: a}]", "f.yaml:1: the expectation has no privilege\nf.yaml:1: the expectation has no may"},
		{"member of an expectation", "expect: [{who: a, actor: a, privilege: READ, may: true}]", `f.yaml:1: an expectation has no member "who"; the members are actor, privilege, resource, may`},
		{"privilege of an expectation", "expect: [{actor: a, privilege: REED, may: true}]", `f.yaml:1: there is no privilege "REED"`},
		{"no actor", "expect: [{privilege: READ, may: true}]", `f.yaml:1: the expectation has no actor`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := policyfile.Parse("f.yaml", []byte(c.text), []string{model.EntityDataset, model.EntityChart})
			var of *policyfile.Error
			if err == nil || err.Error() != c.want || !errors.As(err, &of) || of.Line == 0 {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// TestManyErrors: of a file with very many mistakes, only the first ones are reported.
func TestManyErrors(t *testing.T) {
	_, err := policyfile.Parse("f.yaml", []byte("expect: ["+strings.Repeat("1,", 500)+"]"), nil)
	if n := strings.Count(err.Error(), "\n") + 1; n != 20 {
		t.Errorf("%d errors", n)
	}
}

// TestFormatRefuses: policies that a file cannot express are refused, and differ from every policy that a
// file can express.
func TestFormatRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		of   policies.Policy
		want string
	}{
		{"field", policies.Policy{ID: "a", Name: "A", Resources: &policies.Resources{Filter: []policies.Criterion{{Field: "COLOUR", Condition: policies.Equals}}}}, `the policy a cannot be written: the field "COLOUR" or the condition "EQUALS" is unknown`},
		{"constraint", policies.Policy{ID: "a", Name: "A", Resources: &policies.Resources{Constraints: []policies.Criterion{{Field: "TAG", Condition: "LIKE"}}}}, `the policy a cannot be written: the field "TAG" or the condition "LIKE" is unknown`},
		{"value", policies.Policy{ID: "a", Name: "A", Resources: &policies.Resources{Filter: []policies.Criterion{{Field: "TAG", Values: []string{"pii"}, Condition: policies.Equals}}}}, `the policy a cannot be written: "pii" is no URN`},
		{"user", policies.Policy{ID: "a", Name: "A", Actors: policies.Actors{Users: []string{"piet"}}}, `the policy a cannot be written: "piet" is no URN`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := policyfile.Format([]policies.Policy{c.of}); err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if len(policyfile.Diff([]policies.Policy{c.of}, []policies.Policy{{ID: "a", Name: "A"}})) != 1 {
				t.Error("it does not differ")
			}
		})
	}
}

func TestDiff(t *testing.T) {
	base := func(id string) policies.Policy {
		return policies.Policy{
			ID: id, Name: strings.ToUpper(id), Type: policies.Metadata, State: policies.Active, Effect: policies.Allow, Editable: true,
			Privileges: []string{"EDIT_ENTITY", "DELETE_ENTITY"}, Actors: policies.Actors{Everybody: true},
		}
	}
	same, older := base("same"), base("older")
	same.Privileges = []string{"DELETE_ENTITY", "EDIT_ENTITY"}
	same.LastUpdated = 7
	older.Resources = &policies.Resources{Type: "domain", All: true}
	newer := base("older")
	newer.Resources = &policies.Resources{Filter: []policies.Criterion{{Field: "TYPE", Values: []string{"domain"}, Condition: policies.Equals}}}
	kept := base("kept")
	kept.Editable = false
	changed := base("changed")
	changed.Effect, changed.Actors, changed.State = policies.Deny, policies.Actors{Users: []string{"urn:li:corpuser:piet"}}, policies.Draft
	got := policyfile.Diff(
		[]policies.Policy{same, older, kept, base("gone"), base("changed")},
		[]policies.Policy{base("same"), newer, base("new"), changed},
	)
	want := []policyfile.Change{
		{ID: "changed", Name: "CHANGED", Kind: policyfile.Changed, Members: []policyfile.MemberChange{
			{"state", "", "draft"},
			{"allow", "[DELETE_ENTITY, EDIT_ENTITY]", ""},
			{"deny", "", "[DELETE_ENTITY, EDIT_ENTITY]"},
			{"who", "{everybody: true}", "{users: [piet]}"},
		}},
		{ID: "gone", Name: "GONE", Kind: policyfile.Removed},
		{ID: "new", Name: "NEW", Kind: policyfile.Added},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestDefaults compares the policies of the start with the counts of the reference, and checks the
// expectations in the file.
func TestDefaults(t *testing.T) {
	all := policyfile.Defaults()
	counts := map[string]int{}
	for _, p := range all {
		counts[p.ID] = len(p.Privileges)
		if problems := p.Check(); len(problems) > 0 {
			t.Errorf("%v", problems)
		}
	}
	want := map[string]int{
		"0": 38, "1": 19, "7": 2, "view-entity-page-all": 7, "view-dataset-sensitive": 3, "admin-platform-policy": 38,
		"admin-metadata-policy": 38, "editor-platform-policy": 12, "editor-metadata-policy": 32, "editor-metadata-policy-entities": 1,
		"reader-platform-policy": 0, "reader-metadata-policy": 11, "asset-owners-metadata-policy": 34,
		"root-domain-manage-data-products-policy": 1, "admin-domain-manage-data-products-policy": 1, "editor-domain-manage-data-products-policy": 1,
	}
	if !reflect.DeepEqual(counts, want) {
		t.Errorf("%v, want %v", counts, want)
	}
	var editable []string
	for _, p := range all {
		if p.Editable {
			editable = append(editable, p.ID)
		}
	}
	if want := []string{"7", "view-entity-page-all", "view-dataset-sensitive", "editor-metadata-policy-entities", "asset-owners-metadata-policy"}; !slices.Equal(editable, want) {
		t.Errorf("editable are %v", editable)
	}
	reread(t, all)

	text, err := os.ReadFile("defaults.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, e := range model.Default().Entities() {
		types = append(types, e.Name)
	}
	file, err := policyfile.Parse("defaults.yaml", text, types)
	if err != nil {
		t.Fatal(err)
	}
	set := policies.Compile(file.Policies, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	for _, e := range file.Expect {
		var resource *policies.Resource
		if u, err := model.ParseURN(e.Resource); err == nil {
			resource = &policies.Resource{Type: u.EntityType(), URN: e.Resource}
		}
		if d := set.Rights(policies.Actor{URN: e.Actor}).Decide(e.Privileges, resource); d.Allowed != e.May {
			t.Errorf("line %d: %+v", e.Line, d)
		}
	}
}

// FuzzParse: no file breaks the parser, and an accepted file can be written and read again.
func FuzzParse(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte("policies:\n- {id: a, name: A, allow: ['*'], who: {}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := policyfile.Parse("f", text, nil)
		if err == nil {
			reread(t, file.Policies)
		}
	})
}
